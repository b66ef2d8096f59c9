package io.brain.server.auth;

import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.ClusterGrpc;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.health.HealthGrpc;
import io.brain.proto.migration.MigrationGrpc;
import io.brain.proto.peer.PeerGrpc;
import io.brain.proto.placement.PlacementGrpc;
import java.util.HashMap;
import java.util.Map;

/** What each method of each service needs while calls are checked. A method must be listed. */
public final class MethodAccess {
    private static final Map<String, Need> NEEDS = new HashMap<>();

    /** What a call needs. */
    public enum Need {
        /** Nothing. */
        NOTHING,
        /** A user. */
        CALLER,
        /** A user with the role root. */
        ADMIN,
        /** Permissions for the keys of its requests, checked with them. */
        KEYS
    }

    static {
        String kv = KVGrpc.SERVICE_NAME;
        list(kv, Need.KEYS, "Range", "RangeStream", "Put", "DeleteRange", "Txn");
        list(kv, Need.ADMIN, "Compact");
        list(WatchGrpc.SERVICE_NAME, Need.KEYS, "Watch");
        String lease = LeaseGrpc.SERVICE_NAME;
        list(lease, Need.CALLER, "LeaseGrant");
        list(lease, Need.CALLER, "LeaseRevoke", "LeaseTimeToLive", "LeaseLeases"); // and its keys
        list(lease, Need.KEYS, "LeaseKeepAlive");
        String cluster = ClusterGrpc.SERVICE_NAME;
        list(cluster, Need.CALLER, "MemberList");
        list(cluster, Need.ADMIN, "MemberAdd", "MemberRemove", "MemberUpdate", "MemberPromote");
        String maintenance = MaintenanceGrpc.SERVICE_NAME;
        list(maintenance, Need.CALLER, "Status");
        list(maintenance, Need.CALLER, "Alarm"); // a change needs the role root
        list(maintenance, Need.ADMIN, "Defragment", "Hash", "HashKV", "Snapshot");
        list(maintenance, Need.ADMIN, "MoveLeader", "Downgrade");
        String auth = AuthGrpc.SERVICE_NAME;
        list(auth, Need.NOTHING, "AuthStatus", "Authenticate");
        list(auth, Need.ADMIN, "AuthEnable", "AuthDisable", "UserList", "RoleList");
        list(auth, Need.ADMIN, "UserAdd", "UserDelete", "UserChangePassword");
        list(auth, Need.ADMIN, "UserGrantRole", "UserRevokeRole", "RoleAdd", "RoleDelete");
        list(auth, Need.ADMIN, "RoleGrantPermission", "RoleRevokePermission");
        list(auth, Need.NOTHING, "UserGet"); // of another: the role root; nobody's name is empty
        list(auth, Need.CALLER, "RoleGet"); // of a role one does not have: the role root
        list(HealthGrpc.SERVICE_NAME, Need.NOTHING, "Check", "Watch", "List");
        list("v3lockpb.Lock", Need.KEYS, "Lock", "Unlock");
        list("v3electionpb.Election", Need.KEYS, "Campaign", "Proclaim", "Leader", "Observe");
        list("v3electionpb.Election", Need.KEYS, "Resign");
        list(MigrationGrpc.SERVICE_NAME, Need.CALLER, "Status");
        list(MigrationGrpc.SERVICE_NAME, Need.ADMIN, "Cutover");
        list(PlacementGrpc.SERVICE_NAME, Need.ADMIN, "Place", "List");
        // Another port, whose callers have certificates of servers.
        list(PeerGrpc.SERVICE_NAME, Need.NOTHING, "Submit", "Ping", "Tail");
    }

    private MethodAccess() {}

    private static void list(String service, Need need, String... methods) {
        for (String method : methods) {
            NEEDS.put(service + "/" + method, need);
        }
    }

    /** What a method needs; null if it is not listed. */
    public static Need of(String fullMethodName) {
        return NEEDS.get(fullMethodName);
    }

    /** All listed methods. */
    static Map<String, Need> all() {
        return Map.copyOf(NEEDS);
    }
}
