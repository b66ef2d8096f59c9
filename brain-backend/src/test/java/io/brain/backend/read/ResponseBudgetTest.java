package io.brain.backend.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.fair.Tenant;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.read.ResponseBudget.Grant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ResponseBudgetTest {
    private static final Tenant A = Tenant.user("a");
    private static final Tenant B = Tenant.user("b");

    private final ResponseBudget budget = new ResponseBudget(100);

    @Test
    void grantsImmediatelyWhileThereIsRoom() {
        assertThat(budget.reserve(Tenant.SERVER, 60)).isCompleted();
        assertThat(budget.reserve(Tenant.SERVER, 40)).isCompleted();
        assertThat(budget.reserve(Tenant.SERVER, 1)).isNotDone();
        assertThat(budget.held()).isEqualTo(100);
        assertThat(budget.waiting()).isEqualTo(1);
    }

    @Test
    void waitersAreServedInOrder() {
        Grant first = granted(60);
        CompletableFuture<Grant> large = budget.reserve(Tenant.SERVER, 50);
        CompletableFuture<Grant> small = budget.reserve(Tenant.SERVER, 10);
        assertThat(large).isNotDone();
        assertThat(small).isNotDone();
        assertThat(budget.tryReserve(Tenant.SERVER, 10)).isNull();
        first.close();
        assertThat(large).isCompleted();
        assertThat(small).isCompleted();
        assertThat(budget.held()).isEqualTo(60);
    }

    @Test
    void theTenantThatWasGrantedLeastIsFirst() {
        Grant all = granted(100);
        List<CompletableFuture<Grant>> many =
                Stream.generate(() -> budget.reserve(A, 10)).limit(20).toList();
        List<CompletableFuture<Grant>> few =
                Stream.generate(() -> budget.reserve(B, 10)).limit(5).toList();
        all.close();
        assertThat(few).allMatch(CompletableFuture::isDone);
        assertThat(many.stream().map(CompletableFuture::isDone).toList())
                .containsExactlyElementsOf(
                        Stream.iterate(0, i -> i + 1).limit(20).map(i -> i < 5).toList());
    }

    @Test
    void aNewcomerThatFitsDoesNotWaitForALargerOneBehindIt() {
        Grant all = granted(100);
        CompletableFuture<Grant> first = budget.reserve(A, 60);
        CompletableFuture<Grant> large = budget.reserve(A, 60);
        all.close();
        assertThat(first).isCompleted();
        assertThat(large).as("60 of 100 are granted").isNotDone();
        assertThat(budget.reserve(B, 30)).as("before A, which was granted 60").isCompleted();
        assertThat(budget.reserve(B, 10)).as("after A, which was granted as much").isNotDone();
        assertThat(budget.waiting()).isEqualTo(2);
    }

    @Test
    void aLargeWaiterIsNotOvertakenForever() {
        Grant all = granted(100);
        CompletableFuture<Grant> first = budget.reserve(A, 90);
        CompletableFuture<Grant> large = budget.reserve(A, 100);
        all.close();
        Queue<CompletableFuture<Grant>> running = new ArrayDeque<>(List.of(first));
        int overtook = 0;
        while (!large.isDone()) {
            assertThat(overtook++).isLessThan(100);
            CompletableFuture<Grant> small =
                    budget.reserve(Tenant.user("new" + overtook), 1 + overtook % 10);
            running.add(small);
            if (running.element().isDone()) {
                running.remove().join().close();
            }
        }
        assertThat(overtook).isGreaterThan(5);
    }

    @Test
    void oneReleaseServesAsManyWaitersAsFit() {
        Grant all = granted(100);
        CompletableFuture<Grant> a = budget.reserve(Tenant.SERVER, 40);
        CompletableFuture<Grant> b = budget.reserve(Tenant.SERVER, 40);
        CompletableFuture<Grant> c = budget.reserve(Tenant.SERVER, 40);
        all.close();
        assertThat(a).isCompleted();
        assertThat(b).isCompleted();
        assertThat(c).isNotDone();
        a.join().trim(20);
        assertThat(c).isCompleted();
    }

    @Test
    void aGrantGrowsBeforeWaitersAreServed() {
        Grant holder = granted(40);
        Grant other = granted(20);
        CompletableFuture<Grant> waiter = budget.reserve(Tenant.SERVER, 80);
        assertThat(holder.grow(50)).isTrue();
        assertThat(holder.bytes()).isEqualTo(80);
        assertThat(other.grow(21)).isFalse();
        assertThat(other.bytes()).isEqualTo(20);
        holder.close();
        assertThat(waiter).isCompleted();
    }

    @Test
    void aGrantGrowsWithinTheBudget() {
        Grant holder = granted(30);
        Grant other = granted(50);
        assertThat(holder.grow(35)).isTrue();
        assertThat(holder.bytes()).isEqualTo(35);
        assertThat(other.grow(66)).isFalse();
        assertThat(budget.held()).isEqualTo(85);
    }

    @Test
    void anAnswerLargerThanTheBudgetWaitsForAllOfItAndRunsAlone() {
        Grant other = granted(1);
        CompletableFuture<Grant> huge = budget.reserve(Tenant.SERVER, Long.MAX_VALUE);
        assertThat(huge).isNotDone();
        other.close();
        Grant grant = huge.join();
        assertThat(grant.bytes()).isEqualTo(100);
        assertThat(grant.grow(1000)).isTrue();
        CompletableFuture<Grant> next = budget.reserve(Tenant.SERVER, 1);
        assertThat(next).isNotDone();
        grant.trim(500);
        assertThat(next).isNotDone();
        grant.close();
        assertThat(next).isCompleted();
    }

    @Test
    void closingTwiceReleasesOnce() {
        Grant one = granted(60);
        Grant two = granted(40);
        one.close();
        one.close();
        assertThat(budget.held()).isEqualTo(40);
        two.trim(50);
        assertThat(budget.held()).isEqualTo(40);
    }

    @Test
    void aCancelledWaiterNoLongerBlocksTheNext() {
        Grant holder = granted(60);
        CompletableFuture<Grant> large = budget.reserve(Tenant.SERVER, 100);
        CompletableFuture<Grant> small = budget.reserve(Tenant.SERVER, 40);
        assertThat(large.cancel(false)).isTrue();
        assertThat(small).isCompleted();
        assertThat(budget.waiting()).isZero();
        holder.close();
        assertThat(budget.held()).isEqualTo(40);
    }

    @Test
    void closeFailsWaitersAndRefusesMore() {
        Grant holder = granted(100);
        CompletableFuture<Grant> waiter = budget.reserve(Tenant.SERVER, 1);
        budget.close();
        assertFails(ErrorKind.STOPPED, waiter);
        assertFails(ErrorKind.STOPPED, budget.reserve(Tenant.SERVER, 1));
        holder.close();
        assertThat(budget.held()).isZero();
        assertThat(budget.tryReserve(Tenant.SERVER, 1)).isNull();
    }

    private Grant granted(long bytes) {
        CompletableFuture<Grant> grant = budget.reserve(Tenant.SERVER, bytes);
        assertThat(grant).isCompleted();
        return grant.join();
    }

    private static void assertFails(ErrorKind kind, CompletableFuture<Grant> future) {
        assertThatThrownBy(future::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.kind()).isEqualTo(kind));
    }
}
