package io.dht4j.transport.grpc.api.internal.server;

import com.google.protobuf.ByteString;
import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.CallOptions;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.RequestId;
import io.dht4j.Version;
import io.dht4j.security.Scope;
import io.dht4j.v1.AtomicRequest;
import io.dht4j.v1.AtomicResponse;

/** Converts operations on atomic keys, and their results. */
final class AtomicMessages {

    private static final long NEVER = 0;

    /** Bounds the error that shows a malformed id. An id has 36 characters. */
    private static final int MAX_SHOWN_ID = 100;

    private AtomicMessages() {}

    /** Returns the scope that a request needs. */
    static Scope scope(AtomicRequest request) {
        return request.hasRead() ? Scope.READ : Scope.WRITE;
    }

    /**
     * Reads a change.
     *
     * @param maxValueBytes the largest value that the API accepts
     * @throws InvalidRequestException if there is none, or a field is out of range
     */
    static AtomicChange change(AtomicRequest request, int maxValueBytes) {
        return switch (request.getChangeCase()) {
            case READ -> AtomicChange.read();
            case PUT -> {
                AtomicRequest.Put put = request.getPut();
                yield AtomicChange.put(
                        value(put.getValue(), maxValueBytes), ttlMillis(put.hasTtlMillis(), put.getTtlMillis()));
            }
            case PUT_IF_ABSENT -> {
                AtomicRequest.Put put = request.getPutIfAbsent();
                yield AtomicChange.putIfAbsent(
                        value(put.getValue(), maxValueBytes), ttlMillis(put.hasTtlMillis(), put.getTtlMillis()));
            }
            case REPLACE -> {
                AtomicRequest.Replace replace = request.getReplace();
                require(replace.hasExpected(), "replace.expected");
                yield AtomicChange.replace(
                        new Version(replace.getExpected()),
                        value(replace.getValue(), maxValueBytes),
                        ttlMillis(replace.hasTtlMillis(), replace.getTtlMillis()));
            }
            case REMOVE ->
                request.getRemove().hasExpected()
                        ? AtomicChange.remove(new Version(request.getRemove().getExpected()))
                        : AtomicChange.remove();
            case TOUCH ->
                AtomicChange.touch(ttlMillis(
                        request.getTouch().hasTtlMillis(), request.getTouch().getTtlMillis()));
            case ADD ->
                AtomicChange.add(request.getAdd().hasDelta() ? request.getAdd().getDelta() : 1);
            case COMPARE_AND_SET -> {
                AtomicRequest.CompareAndSet set = request.getCompareAndSet();
                require(set.hasExpected(), "compare_and_set.expected");
                require(set.hasNumber(), "compare_and_set.number");
                yield AtomicChange.compareAndSet(set.getExpected(), set.getNumber());
            }
            case CHANGE_NOT_SET ->
                throw new InvalidRequestException(
                        ErrorCode.BAD_REQUEST,
                        "change must be read, put, put_if_absent, replace, remove, touch, add or compare_and_set, and"
                                + " is missing");
        };
    }

    private static void require(boolean isPresent, String field) {
        if (!isPresent) {
            throw new InvalidRequestException(ErrorCode.BAD_REQUEST, field + " is missing");
        }
    }

    private static byte[] value(ByteString value, int maxValueBytes) {
        int most = Math.min(maxValueBytes, AtomicChange.MAX_VALUE_BYTES);
        if (value.size() > most) {
            throw new InvalidRequestException(
                    ErrorCode.VALUE_TOO_LARGE,
                    "the value of an atomic key has at most " + most + " bytes, this one has " + value.size());
        }
        return value.toByteArray();
    }

    private static long ttlMillis(boolean isPresent, long unsignedMillis) {
        return isPresent ? ApiMessages.ttlMillis(unsignedMillis) : NEVER;
    }

    /** Returns options with the id of a request, if it has one. */
    static CallOptions withRequestId(CallOptions options, AtomicRequest request) {
        if (!request.hasRequestId()) {
            return options;
        }
        String id = request.getRequestId();
        return options.withRequestId(
                RequestId.parse(id.length() <= MAX_SHOWN_ID ? id : id.substring(0, MAX_SHOWN_ID) + "..."));
    }

    /** Converts a result, and shares the array of its value. */
    static AtomicResponse message(AtomicResult result) {
        AtomicResponse.Builder message = AtomicResponse.newBuilder()
                .setDone(result.isDone())
                .setCreated(result.isCreated())
                .setVersion(result.version().packed());
        result.number().ifPresent(message::setNumber);
        result.current().ifPresent(current -> message.setCurrent(ApiMessages.value(current)));
        return message.build();
    }
}
