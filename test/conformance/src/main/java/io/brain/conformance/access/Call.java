package io.brain.conformance.access;

import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;

/** A method and a request. */
record Call<Q extends Message, A extends Message>(MethodDescriptor<Q, A> method, Q request) {
    void by(String caller, Callers callers) {
        var unused = callers.call(caller, method, request);
    }
}
