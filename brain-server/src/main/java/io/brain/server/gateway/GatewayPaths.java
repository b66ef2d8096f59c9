package io.brain.server.gateway;

import java.util.LinkedHashMap;
import java.util.Map;

/** The paths of etcd's gateway and their methods; all are requested by POST. */
final class GatewayPaths {
    /** A service, then its methods, each with its paths below /v3/. */
    private static final String TABLE =
            """
            etcdserverpb.KV
             Range kv/range
             Put kv/put
             DeleteRange kv/deleterange
             Txn kv/txn
             Compact kv/compaction
            etcdserverpb.Watch
             Watch watch
            etcdserverpb.Lease
             LeaseGrant lease/grant
             LeaseRevoke lease/revoke kv/lease/revoke
             LeaseKeepAlive lease/keepalive
             LeaseTimeToLive lease/timetolive kv/lease/timetolive
             LeaseLeases lease/leases kv/lease/leases
            etcdserverpb.Cluster
             MemberAdd cluster/member/add
             MemberRemove cluster/member/remove
             MemberUpdate cluster/member/update
             MemberList cluster/member/list
             MemberPromote cluster/member/promote
            etcdserverpb.Maintenance
             Alarm maintenance/alarm
             Status maintenance/status
             Defragment maintenance/defragment
             Hash maintenance/hash
             HashKV maintenance/hashkv
             Snapshot maintenance/snapshot
             MoveLeader maintenance/transfer-leadership
             Downgrade maintenance/downgrade
            etcdserverpb.Auth
             AuthEnable auth/enable
             AuthDisable auth/disable
             AuthStatus auth/status
             Authenticate auth/authenticate
             UserAdd auth/user/add
             UserGet auth/user/get
             UserList auth/user/list
             UserDelete auth/user/delete
             UserChangePassword auth/user/changepw
             UserGrantRole auth/user/grant
             UserRevokeRole auth/user/revoke
             RoleAdd auth/role/add
             RoleGet auth/role/get
             RoleList auth/role/list
             RoleDelete auth/role/delete
             RoleGrantPermission auth/role/grant
             RoleRevokePermission auth/role/revoke
            v3lockpb.Lock
             Lock lock/lock
             Unlock lock/unlock
            v3electionpb.Election
             Campaign election/campaign
             Proclaim election/proclaim
             Leader election/leader
             Observe election/observe
             Resign election/resign
            """;

    private GatewayPaths() {}

    /** Full names of methods, by complete path. */
    static Map<String, String> all() {
        Map<String, String> methods = new LinkedHashMap<>();
        String service = "";
        for (String line : TABLE.split("\n", -1)) {
            String[] words = line.strip().split(" ", -1);
            if (!line.startsWith(" ")) {
                service = words[0];
            } else {
                for (int i = 1; i < words.length; i++) {
                    methods.put("/v3/" + words[i], service + '/' + words[0]);
                }
            }
        }
        return methods;
    }
}
