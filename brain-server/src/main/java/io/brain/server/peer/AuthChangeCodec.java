package io.brain.server.peer;

import com.google.protobuf.ByteString;
import io.brain.backend.auth.AuthChange.AddRole;
import io.brain.backend.auth.AuthChange.AddUser;
import io.brain.backend.auth.AuthChange.ChangePassword;
import io.brain.backend.auth.AuthChange.DeleteRole;
import io.brain.backend.auth.AuthChange.DeleteUser;
import io.brain.backend.auth.AuthChange.Disable;
import io.brain.backend.auth.AuthChange.Enable;
import io.brain.backend.auth.AuthChange.GrantPermission;
import io.brain.backend.auth.AuthChange.GrantRole;
import io.brain.backend.auth.AuthChange.RevokePermission;
import io.brain.backend.auth.AuthChange.RevokeRole;
import io.brain.backend.auth.Permission;
import io.brain.proto.auth.User;
import io.brain.proto.auth.UserAddOptions;
import io.brain.proto.peer.AuthChange;
import io.brain.proto.peer.Empty;
import io.brain.proto.peer.RolePermission;
import io.brain.proto.peer.UserAndRole;
import io.brain.server.grpc.ByteStrings;
import io.brain.storage.Bytes;

/** Messages of changes of users, roles and authentication. */
final class AuthChangeCodec {
    private AuthChangeCodec() {}

    static AuthChange encode(io.brain.backend.auth.AuthChange change) {
        AuthChange.Builder message = AuthChange.newBuilder();
        if (change instanceof Enable enable) {
            message.setEnable(ByteStrings.wrap(enable.tokenKey()));
        } else if (change instanceof Disable) {
            message.setDisable(Empty.getDefaultInstance());
        } else if (change instanceof AddUser add) {
            UserAddOptions options =
                    UserAddOptions.newBuilder().setNoPassword(add.noPassword()).build();
            message.setAddUser(user(add.name(), add.passwordHash()).setOptions(options));
        } else if (change instanceof DeleteUser delete) {
            message.setDeleteUser(delete.name());
        } else if (change instanceof ChangePassword password) {
            message.setChangePassword(user(password.name(), password.passwordHash()));
        } else if (change instanceof GrantRole grant) {
            message.setGrantRole(pair(grant.user(), grant.role()));
        } else if (change instanceof RevokeRole revoke) {
            message.setRevokeRole(pair(revoke.user(), revoke.role()));
        } else if (change instanceof AddRole add) {
            message.setAddRole(add.name());
        } else if (change instanceof DeleteRole delete) {
            message.setDeleteRole(delete.name());
        } else if (change instanceof GrantPermission grant) {
            message.setGrantPermission(permission(grant.role(), grant.permission()));
        } else if (change instanceof RevokePermission revoke) {
            Permission keys = new Permission(Permission.READ, revoke.key(), revoke.end());
            message.setRevokePermission(permission(revoke.role(), keys));
        }
        return message.build();
    }

    /**
     * Decodes a change.
     *
     * @throws IllegalArgumentException if it is unknown
     */
    static io.brain.backend.auth.AuthChange decode(AuthChange message) {
        return switch (message.getChangeCase()) {
            case ENABLE -> new Enable(bytes(message.getEnable()));
            case DISABLE -> new Disable();
            case ADD_USER -> {
                User user = message.getAddUser();
                yield new AddUser(
                        user.getName().toStringUtf8(),
                        bytes(user.getPassword()),
                        user.getOptions().getNoPassword());
            }
            case DELETE_USER -> new DeleteUser(message.getDeleteUser());
            case CHANGE_PASSWORD -> {
                User user = message.getChangePassword();
                yield new ChangePassword(user.getName().toStringUtf8(), bytes(user.getPassword()));
            }
            case GRANT_ROLE ->
                    new GrantRole(
                            message.getGrantRole().getUser(), message.getGrantRole().getRole());
            case REVOKE_ROLE ->
                    new RevokeRole(
                            message.getRevokeRole().getUser(), message.getRevokeRole().getRole());
            case ADD_ROLE -> new AddRole(message.getAddRole());
            case DELETE_ROLE -> new DeleteRole(message.getDeleteRole());
            case GRANT_PERMISSION -> {
                RolePermission grant = message.getGrantPermission();
                yield new GrantPermission(grant.getRole(), permission(grant));
            }
            case REVOKE_PERMISSION -> {
                RolePermission revoke = message.getRevokePermission();
                Permission keys = permission(revoke);
                yield new RevokePermission(revoke.getRole(), keys.key(), keys.end());
            }
            case CHANGE_NOT_SET -> throw new IllegalArgumentException("unknown change");
        };
    }

    private static User.Builder user(String name, Bytes passwordHash) {
        return User.newBuilder()
                .setName(ByteString.copyFromUtf8(name))
                .setPassword(ByteStrings.wrap(passwordHash));
    }

    private static UserAndRole pair(String user, String role) {
        return UserAndRole.newBuilder().setUser(user).setRole(role).build();
    }

    private static RolePermission permission(String role, Permission permission) {
        return RolePermission.newBuilder()
                .setRole(role)
                .setPermission(
                        io.brain.proto.auth.Permission.newBuilder()
                                .setPermTypeValue(permission.type())
                                .setKey(ByteStrings.wrap(permission.key()))
                                .setRangeEnd(ByteStrings.wrap(permission.end())))
                .build();
    }

    private static Permission permission(RolePermission message) {
        io.brain.proto.auth.Permission permission = message.getPermission();
        return new Permission(
                permission.getPermTypeValue(),
                bytes(permission.getKey()),
                bytes(permission.getRangeEnd()));
    }

    private static Bytes bytes(ByteString bytes) {
        return ByteStrings.unwrap(bytes);
    }
}
