package io.brain.server;

import io.brain.backend.cluster.Cluster;
import io.brain.backend.model.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** A member list, and leadership transfers. */
public final class FakeCluster implements Cluster {
    public volatile boolean shared;
    public final List<Member> members = new ArrayList<>();
    public volatile long movedTo;

    /** Ids of members that do not answer. */
    public final Set<Long> silent = ConcurrentHashMap.newKeySet();

    /** One member that has started. */
    public FakeCluster(Member self) {
        members.add(self);
    }

    @Override
    public boolean isShared() {
        return shared;
    }

    @Override
    public CompletableFuture<List<Member>> members() {
        return CompletableFuture.completedFuture(List.copyOf(members));
    }

    @Override
    public CompletableFuture<Member> add(List<String> peerUrls) {
        Member member = new Member(100 + members.size(), "", peerUrls, List.of());
        members.add(member);
        return CompletableFuture.completedFuture(member);
    }

    @Override
    public CompletableFuture<Boolean> reaches(long id, List<String> peerUrls) {
        return CompletableFuture.completedFuture(!silent.contains(id));
    }

    @Override
    public CompletableFuture<Void> update(Member member) {
        members.replaceAll(one -> one.id() == member.id() ? member : one);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> remove(long id) {
        members.removeIf(member -> member.id() == id);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> moveLeader(long id) {
        movedTo = id;
        return CompletableFuture.completedFuture(null);
    }
}
