package io.brain.server.etcd;

import com.google.protobuf.ByteString;
import io.brain.backend.Backend;
import io.brain.backend.auth.AuthChange;
import io.brain.backend.auth.AuthChange.GrantRole;
import io.brain.backend.auth.AuthChange.RevokeRole;
import io.brain.backend.auth.AuthState;
import io.brain.backend.auth.Caller;
import io.brain.backend.auth.Permission;
import io.brain.backend.auth.Role;
import io.brain.backend.auth.User;
import io.brain.backend.cluster.link.LeaderCommand.ChangeAuth;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.proto.etcd.AuthDisableResponse;
import io.brain.proto.etcd.AuthEnableResponse;
import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.AuthRoleAddResponse;
import io.brain.proto.etcd.AuthRoleDeleteResponse;
import io.brain.proto.etcd.AuthRoleGetRequest;
import io.brain.proto.etcd.AuthRoleGetResponse;
import io.brain.proto.etcd.AuthRoleGrantPermissionRequest;
import io.brain.proto.etcd.AuthRoleGrantPermissionResponse;
import io.brain.proto.etcd.AuthRoleListResponse;
import io.brain.proto.etcd.AuthRoleRevokePermissionResponse;
import io.brain.proto.etcd.AuthStatusResponse;
import io.brain.proto.etcd.AuthUserAddRequest;
import io.brain.proto.etcd.AuthUserAddResponse;
import io.brain.proto.etcd.AuthUserChangePasswordRequest;
import io.brain.proto.etcd.AuthUserChangePasswordResponse;
import io.brain.proto.etcd.AuthUserDeleteResponse;
import io.brain.proto.etcd.AuthUserGetRequest;
import io.brain.proto.etcd.AuthUserGetResponse;
import io.brain.proto.etcd.AuthUserGrantRoleResponse;
import io.brain.proto.etcd.AuthUserListResponse;
import io.brain.proto.etcd.AuthUserRevokeRoleResponse;
import io.brain.proto.etcd.AuthenticateRequest;
import io.brain.proto.etcd.AuthenticateResponse;
import io.brain.proto.etcd.ResponseHeader;
import io.brain.server.auth.Authentication;
import io.brain.server.auth.Callers;
import io.brain.server.auth.Passwords;
import io.brain.server.auth.StateView;
import io.brain.server.grpc.ServiceBuilder;
import io.brain.storage.Bytes;
import io.grpc.ServerServiceDefinition;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * etcdserverpb.Auth. The role root is required by MethodAccess, and again where changes are made.
 */
final class AuthService {
    /** How often a password is compared if its user changes meanwhile. */
    private static final int COMPARES_MAX = 10;

    private final Backend backend;
    private final Responses responses;
    private final Authentication authentication;

    AuthService(Backend backend, Responses responses, Authentication authentication) {
        this.backend = backend;
        this.responses = responses;
        this.authentication = authentication;
    }

    ServerServiceDefinition define(ServiceBuilder service) {
        defineUsers(service);
        defineRoles(service);
        return service.unary(AuthGrpc.getAuthStatusMethod(), request -> status())
                .unary(AuthGrpc.getAuthenticateMethod(), this::authenticate)
                .unary(
                        AuthGrpc.getAuthEnableMethod(),
                        request -> change(new AuthChange.Enable(authentication.newTokenKey())),
                        (ResponseHeader header) ->
                                AuthEnableResponse.newBuilder().setHeader(header).build())
                .unary(
                        AuthGrpc.getAuthDisableMethod(),
                        request -> change(new AuthChange.Disable()),
                        (ResponseHeader header) ->
                                AuthDisableResponse.newBuilder().setHeader(header).build())
                .build();
    }

    private void defineUsers(ServiceBuilder service) {
        service.unary(
                        AuthGrpc.getUserAddMethod(),
                        this::addUser,
                        (ResponseHeader header) ->
                                AuthUserAddResponse.newBuilder().setHeader(header).build())
                .unary(AuthGrpc.getUserGetMethod(), this::getUser)
                .unary(AuthGrpc.getUserListMethod(), request -> listUsers())
                .unary(
                        AuthGrpc.getUserDeleteMethod(),
                        request -> change(new AuthChange.DeleteUser(request.getName())),
                        (ResponseHeader header) ->
                                AuthUserDeleteResponse.newBuilder().setHeader(header).build())
                .unary(
                        AuthGrpc.getUserChangePasswordMethod(),
                        this::changePassword,
                        (ResponseHeader header) ->
                                AuthUserChangePasswordResponse.newBuilder()
                                        .setHeader(header)
                                        .build())
                .unary(
                        AuthGrpc.getUserGrantRoleMethod(),
                        request -> change(new GrantRole(request.getUser(), request.getRole())),
                        (ResponseHeader header) ->
                                AuthUserGrantRoleResponse.newBuilder().setHeader(header).build())
                .unary(
                        AuthGrpc.getUserRevokeRoleMethod(),
                        request -> change(new RevokeRole(request.getName(), request.getRole())),
                        (ResponseHeader header) ->
                                AuthUserRevokeRoleResponse.newBuilder().setHeader(header).build());
    }

    private void defineRoles(ServiceBuilder service) {
        service.unary(
                        AuthGrpc.getRoleAddMethod(),
                        request -> change(new AuthChange.AddRole(request.getName())),
                        (ResponseHeader header) ->
                                AuthRoleAddResponse.newBuilder().setHeader(header).build())
                .unary(AuthGrpc.getRoleGetMethod(), this::getRole)
                .unary(AuthGrpc.getRoleListMethod(), request -> listRoles())
                .unary(
                        AuthGrpc.getRoleDeleteMethod(),
                        request -> change(new AuthChange.DeleteRole(request.getRole())),
                        (ResponseHeader header) ->
                                AuthRoleDeleteResponse.newBuilder().setHeader(header).build())
                .unary(
                        AuthGrpc.getRoleGrantPermissionMethod(),
                        this::grantPermission,
                        (ResponseHeader header) ->
                                AuthRoleGrantPermissionResponse.newBuilder()
                                        .setHeader(header)
                                        .build())
                .unary(
                        AuthGrpc.getRoleRevokePermissionMethod(),
                        request ->
                                change(
                                        new AuthChange.RevokePermission(
                                                request.getRole(),
                                                RequestTranslator.bytes(request.getKey()),
                                                RequestTranslator.bytes(request.getRangeEnd()))),
                        (ResponseHeader header) ->
                                AuthRoleRevokePermissionResponse.newBuilder()
                                        .setHeader(header)
                                        .build());
    }

    private CompletableFuture<ResponseHeader> change(AuthChange change) {
        return change(change, Callers.current());
    }

    private CompletableFuture<ResponseHeader> change(AuthChange change, Caller caller) {
        return backend.submit(new ChangeAuth(change).by(caller))
                .thenApply(answer -> responses.header(answer.revision()));
    }

    private CompletableFuture<AuthStatusResponse> status() {
        var unused = Callers.current(); // as in etcd, an invalid token fails
        return readState()
                .thenApply(
                        state ->
                                AuthStatusResponse.newBuilder()
                                        .setHeader(responses.header())
                                        .setEnabled(state.enabled())
                                        .setAuthRevision(state.revision())
                                        .build());
    }

    private CompletableFuture<AuthenticateResponse> authenticate(AuthenticateRequest request) {
        return backend.newestAuth()
                .thenCompose(state -> authenticate(request, state, COMPARES_MAX))
                .thenApply(
                        token ->
                                AuthenticateResponse.newBuilder()
                                        .setHeader(responses.header())
                                        .setToken(token)
                                        .build());
    }

    /** Compares the password again if the user changed meanwhile. */
    private CompletableFuture<String> authenticate(
            AuthenticateRequest request, AuthState state, int left) {
        String name = request.getName();
        User user = state.user(name);
        require(state.enabled(), ErrorKind.AUTH_NOT_ENABLED);
        require(user != null, ErrorKind.AUTH_FAILED);
        require(!user.noPassword(), ErrorKind.NO_PASSWORD_USER);
        require(left > 0, ErrorKind.TOO_MANY_REQUESTS);
        String hash = new String(user.passwordHash().array(), StandardCharsets.UTF_8);
        return authentication
                .passwords()
                .matches(request.getPasswordBytes(), hash)
                .thenCompose(
                        matches -> {
                            if (!matches) {
                                throw new BackendException(ErrorKind.AUTH_FAILED);
                            }
                            AuthState now = backend.auth();
                            StateView view = new StateView(now);
                            return view.confirms(name, new StateView(state))
                                    ? CompletableFuture.completedFuture(
                                            authentication.tokens().issue(name, view))
                                    : authenticate(request, now, left - 1);
                        });
    }

    private CompletableFuture<ResponseHeader> addUser(AuthUserAddRequest request) {
        Caller caller = Callers.current();
        if (request.getOptions().getNoPassword()) {
            return change(new AuthChange.AddUser(request.getName(), Bytes.EMPTY, true), caller);
        }
        return hashed(
                request.getPasswordBytes(),
                hash -> change(new AuthChange.AddUser(request.getName(), hash, false), caller));
    }

    private CompletableFuture<ResponseHeader> changePassword(
            AuthUserChangePasswordRequest request) {
        Caller caller = Callers.current();
        Function<Bytes, CompletableFuture<ResponseHeader>> change =
                hash -> change(new AuthChange.ChangePassword(request.getName(), hash), caller);
        if (!request.getPassword().isEmpty()) {
            return hashed(request.getPasswordBytes(), change);
        }
        try {
            return change.apply(Passwords.decodeHash(request.getHashedPassword()));
        } catch (IllegalArgumentException malformed) {
            return withoutPassword(request.getName(), change);
        }
    }

    /** Of a user without a password the hash is not read, as in etcd. */
    private CompletableFuture<ResponseHeader> withoutPassword(
            String name, Function<Bytes, CompletableFuture<ResponseHeader>> change) {
        return readState()
                .thenCompose(
                        state -> {
                            User user = state.user(name);
                            require(user != null, ErrorKind.USER_NOT_FOUND);
                            require(user.noPassword(), ErrorKind.NO_PASSWORD_USER);
                            return change.apply(Bytes.EMPTY);
                        });
    }

    private CompletableFuture<ResponseHeader> hashed(
            ByteString password, Function<Bytes, CompletableFuture<ResponseHeader>> change) {
        var passwords = authentication.passwords();
        return passwords.hash(password).thenCompose(hash -> change.apply(Bytes.utf8(hash)));
    }

    private CompletableFuture<AuthUserGetResponse> getUser(AuthUserGetRequest request) {
        Caller caller = Callers.current();
        return readState()
                .thenApply(
                        state -> {
                            if (!caller.user().equals(request.getName())) {
                                state.requireAdmin(caller);
                            }
                            User user = state.user(request.getName());
                            require(user != null, ErrorKind.USER_NOT_FOUND);
                            return AuthUserGetResponse.newBuilder()
                                    .setHeader(responses.header())
                                    .addAllRoles(user.roles())
                                    .build();
                        });
    }

    private CompletableFuture<AuthUserListResponse> listUsers() {
        return forAdmin(
                state ->
                        AuthUserListResponse.newBuilder()
                                .setHeader(responses.header())
                                .addAllUsers(state.users().keySet())
                                .build());
    }

    /** The newest state. In etcd such a read is a proposal, and fails as one without a leader. */
    private CompletableFuture<AuthState> readState() {
        return backend.newestAuth()
                .exceptionallyCompose(
                        failure -> {
                            boolean noLeader =
                                    Failures.isOf(ErrorKind.TIMEOUT, failure)
                                            && backend.status().leaderId() == 0;
                            return CompletableFuture.failedFuture(
                                    noLeader
                                            ? new BackendException(ErrorKind.DEADLINE_EXCEEDED)
                                            : failure);
                        });
    }

    /** An answer from the newest state, to a caller with the role root. */
    private <R> CompletableFuture<R> forAdmin(Function<AuthState, R> answer) {
        Caller caller = Callers.current();
        return readState()
                .thenApply(
                        state -> {
                            state.requireAdmin(caller);
                            return answer.apply(state);
                        });
    }

    private CompletableFuture<AuthRoleGetResponse> getRole(AuthRoleGetRequest request) {
        Caller caller = Callers.current();
        return readState()
                .thenApply(
                        state -> {
                            User user = state.user(caller.user());
                            if (user == null || !user.roles().contains(request.getRole())) {
                                state.requireAdmin(caller);
                            }
                            Role role = state.role(request.getRole());
                            require(role != null, ErrorKind.ROLE_NOT_FOUND);
                            return responses.role(role);
                        });
    }

    private CompletableFuture<AuthRoleListResponse> listRoles() {
        return forAdmin(
                state ->
                        AuthRoleListResponse.newBuilder()
                                .setHeader(responses.header())
                                .addAllRoles(state.roles().keySet())
                                .build());
    }

    private CompletableFuture<ResponseHeader> grantPermission(
            AuthRoleGrantPermissionRequest request) {
        require(request.hasPerm(), ErrorKind.PERMISSION_NOT_GIVEN);
        Permission permission =
                new Permission(
                        request.getPerm().getPermTypeValue(),
                        RequestTranslator.bytes(request.getPerm().getKey()),
                        RequestTranslator.bytes(request.getPerm().getRangeEnd()));
        return change(new AuthChange.GrantPermission(request.getName(), permission));
    }

    private static void require(boolean holds, ErrorKind otherwise) {
        if (!holds) {
            throw new BackendException(otherwise);
        }
    }
}
