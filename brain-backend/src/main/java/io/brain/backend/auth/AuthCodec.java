package io.brain.backend.auth;

import io.brain.backend.store.AuthRecord;
import io.brain.backend.wire.ByteReader;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Stored forms: authpb.User and authpb.Role, as etcd stores them. The generation of a user is one
 * more field of it, which etcd ignores. A {@link StorageException} of kind CORRUPT if malformed.
 */
public final class AuthCodec {
    private static final int FIELD_SHIFT = 3;
    private static final int TYPE_MASK = 7;
    private static final int VARINT = 0;
    private static final int SIZED = 2;
    private static final int NO_PASSWORD = 1;
    private static final int NAME = 1;
    private static final int PASSWORD = 2;
    private static final int ROLES = 3;
    private static final int OPTIONS = 4;
    private static final int GENERATION = 1000;
    private static final int PERMISSIONS = 2;
    private static final int PERMISSION_TYPE = 1;
    private static final int PERMISSION_KEY = 2;
    private static final int PERMISSION_END = 3;

    private AuthCodec() {}

    static Bytes encode(User user) {
        ByteWriter out = new ByteWriter(128);
        putBytes(out, NAME, Bytes.utf8(user.name()));
        putBytes(out, PASSWORD, user.passwordHash());
        for (String role : user.roles()) {
            putTag(out, ROLES, SIZED).putSized(Bytes.utf8(role));
        }
        ByteWriter options = new ByteWriter(2);
        putNumber(options, NO_PASSWORD, user.noPassword() ? 1 : 0);
        putTag(out, OPTIONS, SIZED).putSized(options.finish());
        putNumber(out, GENERATION, user.generation());
        return out.finish();
    }

    static User decodeUser(Bytes stored) {
        Bytes name = Bytes.EMPTY;
        Bytes password = Bytes.EMPTY;
        List<String> roles = new ArrayList<>();
        boolean noPassword = false;
        long generation = 0;
        ByteReader in = new ByteReader(stored, 0);
        while (in.hasMore()) {
            int tag = (int) in.getVarint();
            switch (tag >>> FIELD_SHIFT) {
                case NAME -> name = in.getSized();
                case PASSWORD -> password = in.getSized();
                case ROLES -> roles.add(text(in.getSized()));
                case OPTIONS -> noPassword = decodeNoPassword(in.getSized());
                case GENERATION -> generation = in.getVarint();
                default -> skip(in, tag);
            }
        }
        return new User(text(name), password, roles, noPassword, generation);
    }

    private static boolean decodeNoPassword(Bytes options) {
        boolean noPassword = false;
        ByteReader in = new ByteReader(options, 0);
        while (in.hasMore()) {
            int tag = (int) in.getVarint();
            if (tag >>> FIELD_SHIFT == NO_PASSWORD) {
                noPassword = in.getVarint() != 0;
            } else {
                skip(in, tag);
            }
        }
        return noPassword;
    }

    static Bytes encode(Role role) {
        ByteWriter out = new ByteWriter(128);
        putBytes(out, NAME, Bytes.utf8(role.name()));
        for (Permission permission : role.permissions()) {
            ByteWriter inner = new ByteWriter(64);
            putNumber(inner, PERMISSION_TYPE, permission.type());
            putBytes(inner, PERMISSION_KEY, permission.key());
            putBytes(inner, PERMISSION_END, permission.end());
            putTag(out, PERMISSIONS, SIZED).putSized(inner.finish());
        }
        return out.finish();
    }

    static Role decodeRole(Bytes stored) {
        Bytes name = Bytes.EMPTY;
        List<Permission> permissions = new ArrayList<>();
        ByteReader in = new ByteReader(stored, 0);
        while (in.hasMore()) {
            int tag = (int) in.getVarint();
            switch (tag >>> FIELD_SHIFT) {
                case NAME -> name = in.getSized();
                case PERMISSIONS -> permissions.add(decodePermission(in.getSized()));
                default -> skip(in, tag);
            }
        }
        return new Role(text(name), permissions);
    }

    private static Permission decodePermission(Bytes stored) {
        int type = Permission.READ;
        Bytes key = Bytes.EMPTY;
        Bytes end = Bytes.EMPTY;
        ByteReader in = new ByteReader(stored, 0);
        while (in.hasMore()) {
            int tag = (int) in.getVarint();
            switch (tag >>> FIELD_SHIFT) {
                case PERMISSION_TYPE -> type = (int) in.getVarint();
                case PERMISSION_KEY -> key = in.getSized();
                case PERMISSION_END -> end = in.getSized();
                default -> skip(in, tag);
            }
        }
        return new Permission(type, key, end);
    }

    /** A whole state, for other nodes: the record, users and roles. */
    public static Bytes encode(AuthState state) {
        ByteWriter out = new ByteWriter(1024).putSized(state.record().encode());
        out.putVarint(state.users().size());
        state.users().values().forEach(user -> out.putSized(encode(user)));
        out.putVarint(state.roles().size());
        state.roles().values().forEach(role -> out.putSized(encode(role)));
        return out.finish();
    }

    /** Decodes a whole state. */
    public static AuthState decode(Bytes encoded) {
        ByteReader in = new ByteReader(encoded, 0);
        AuthRecord record = AuthRecord.decode(in.getSized());
        NavigableMap<String, User> users = new TreeMap<>(AuthState.BY_BYTES);
        for (long left = in.getVarint(); left > 0; left--) {
            User user = decodeUser(in.getSized());
            users.put(user.name(), user);
        }
        NavigableMap<String, Role> roles = new TreeMap<>(AuthState.BY_BYTES);
        for (long left = in.getVarint(); left > 0; left--) {
            Role role = decodeRole(in.getSized());
            roles.put(role.name(), role);
        }
        return new AuthState(record, users, roles);
    }

    private static ByteWriter putTag(ByteWriter out, int field, int type) {
        return out.putVarint(((long) field << FIELD_SHIFT) | type);
    }

    private static void putBytes(ByteWriter out, int field, Bytes value) {
        if (!value.isEmpty()) {
            putTag(out, field, SIZED).putSized(value);
        }
    }

    private static void putNumber(ByteWriter out, int field, long value) {
        if (value != 0) {
            putTag(out, field, VARINT).putVarint(value);
        }
    }

    private static void skip(ByteReader in, int tag) {
        switch (tag & TYPE_MASK) {
            case VARINT -> {
                var unused = in.getVarint();
            }
            case SIZED -> {
                var unused = in.skipSized();
            }
            default ->
                    throw new StorageException(
                            StorageException.Kind.CORRUPT, "a user or role is malformed");
        }
    }

    private static String text(Bytes bytes) {
        return new String(bytes.array(), StandardCharsets.UTF_8);
    }
}
