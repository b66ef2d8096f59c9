package io.brain.backend.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.Op;
import io.brain.backend.model.Txn;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TxnPermissionsTest {
    @Test
    void eachLeaseIsCheckedOnce() {
        AuthState state = AuthState.INITIAL;
        for (AuthChange change :
                List.of(
                        new AuthChange.AddUser("root", Bytes.EMPTY, false),
                        new AuthChange.GrantRole("root", "root"),
                        new AuthChange.Enable(Bytes.utf8("key")))) {
            state = AuthChanges.apply(state, change);
        }
        Txn txn =
                new Txn(
                        List.of(),
                        List.of(put("a", 5), put("b", 5), put("c", 0), put("d", 6)),
                        List.of(new Op.Nested(Txn.of(put("e", 5)))));
        List<Long> leases = new ArrayList<>();
        TxnPermissions.check(state, new Caller("root", state.revision()), txn, leases::add);
        assertThat(leases).containsExactly(5L, 6L);
    }

    private static Op put(String key, long lease) {
        return new Op.Put(Bytes.utf8(key), Bytes.EMPTY, lease, false, false, false);
    }
}
