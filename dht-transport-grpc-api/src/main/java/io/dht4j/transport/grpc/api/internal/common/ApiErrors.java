package io.dht4j.transport.grpc.api.internal.common;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.IndeterminateException;
import io.dht4j.InvalidRequestException;
import io.dht4j.RequestId;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Converts errors of the cluster to gRPC statuses with details, and back. {@code docs/reference/grpc-api.md} has the
 * table.
 */
public final class ApiErrors {

    private static final String DOMAIN = "dht4j";

    /** The metadata with the id of an operation on an atomic key whose outcome is unknown. */
    private static final String REQUEST_ID = "request_id";

    /**
     * The bound that keeps the trailers well below the 8 KiB that clients take. They contain a message twice and
     * encoded.
     */
    private static final int MAX_MESSAGE_BYTES = 600;

    /** The answer where there is no memory to make one. */
    private static final Status PREPARED_STATUS = prepared().getStatus();

    /** Never changed. */
    private static final Metadata PREPARED_TRAILERS =
            Objects.requireNonNull(prepared().getTrailers());

    private ApiErrors() {}

    /**
     * Returns the status for a code. Clients retry {@code UNAVAILABLE} on their own, so it is used only for errors
     * without effect. Standard retry policies do not retry {@code UNKNOWN}.
     */
    public static Status.Code status(ErrorCode code) {
        return switch (code) {
            case BAD_REQUEST,
                    KEY_INVALID,
                    POLICY_INVALID,
                    TTL_INVALID,
                    TIMEOUT_INVALID,
                    VALUE_TOO_LARGE,
                    SCAN_INVALID,
                    BATCH_TOO_LARGE,
                    ATOMIC_KEY,
                    MALFORMED_FRAME,
                    UNSUPPORTED_PROTOCOL,
                    FRAME_TOO_LARGE -> Status.Code.INVALID_ARGUMENT;
            case UNKNOWN_RESOURCE, METHOD_NOT_ALLOWED -> Status.Code.UNIMPLEMENTED;
            case VERSION_TOO_FAR_AHEAD,
                    VERSION_TOO_OLD,
                    SNAPSHOT_GONE,
                    ATOMIC_KIND,
                    COUNTER_OVERFLOW,
                    CONDITION_FAILED,
                    REQUEST_ID_REUSED -> Status.Code.FAILED_PRECONDITION;
            case UNAUTHENTICATED -> Status.Code.UNAUTHENTICATED;
            case PERMISSION_DENIED -> Status.Code.PERMISSION_DENIED;
            case NOT_ENOUGH_REPLICAS,
                    NOT_SENT,
                    NOT_SERVING,
                    STORE_FAILED,
                    STALE_TOPOLOGY,
                    PLACEMENT_MISMATCH,
                    REPLICA_REFILLING,
                    WRONG_RECIPIENT,
                    CLOCK_CONTRADICTED,
                    VERSION_SLOT_TAKEN,
                    TOPOLOGY_BEHIND -> Status.Code.UNAVAILABLE;
            case DEADLINE_PASSED -> Status.Code.DEADLINE_EXCEEDED;
            case WRITE_INDETERMINATE, NO_REPLY, REQUEST_FORGOTTEN -> Status.Code.UNKNOWN;
            case INTERNAL -> Status.Code.INTERNAL;
            case OVERLOADED -> Status.Code.RESOURCE_EXHAUSTED;
        };
    }

    /** Returns the status and the trailers for an error. */
    public static StatusRuntimeException encode(DhtException error) {
        ErrorCode code = error.code();
        String message = shortened(String.valueOf(error.getMessage()));
        ErrorInfo.Builder info = ErrorInfo.newBuilder()
                .setReason(code.name())
                .setDomain(DOMAIN)
                .putMetadata("code", Integer.toString(code.number()))
                .putMetadata("action", code.action().name());
        if (error instanceof IndeterminateException unknown) {
            unknown.requestId().ifPresent(id -> info.putMetadata(REQUEST_ID, id.toString()));
        }
        return StatusProto.toStatusRuntimeException(com.google.rpc.Status.newBuilder()
                .setCode(status(code).value())
                .setMessage(message)
                .addDetails(Any.pack(info.build()))
                .build());
    }

    private static StatusRuntimeException prepared() {
        return encode(DhtException.of(ErrorCode.INTERNAL, "internal error: no memory for the answer"));
    }

    /**
     * Creates the prepared answer if it does not exist. If its creation failed later, for lack of memory, this class
     * would be unusable permanently.
     */
    public static void prepare() {
        // The initializers of this class do so.
    }

    /** Returns the prepared status of an internal error. */
    public static Status preparedStatus() {
        return PREPARED_STATUS;
    }

    /** Returns the trailers for {@link #preparedStatus}. The library adds to them. */
    public static Metadata preparedTrailers() {
        Metadata trailers = new Metadata();
        trailers.merge(PREPARED_TRAILERS);
        return trailers;
    }

    private static String shortened(String message) {
        byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= MAX_MESSAGE_BYTES
                ? message
                : new String(bytes, 0, MAX_MESSAGE_BYTES, StandardCharsets.UTF_8) + "...";
    }

    /** Returns the node's error, if the status carries one; codes unknown to this version are internal errors. */
    public static Optional<DhtException> decode(Status status, @Nullable Metadata trailers) {
        com.google.rpc.Status details = trailers == null ? null : StatusProto.fromStatusAndTrailers(status, trailers);
        if (details == null) {
            return Optional.empty();
        }
        for (Any detail : details.getDetailsList()) {
            if (detail.is(ErrorInfo.class)) {
                try {
                    ErrorInfo info = detail.unpack(ErrorInfo.class);
                    if (info.getDomain().equals(DOMAIN)) {
                        return Optional.of(withRequestId(DhtException.of(code(info), details.getMessage()), info));
                    }
                } catch (InvalidProtocolBufferException e) {
                    return Optional.of(
                            DhtException.of(ErrorCode.INTERNAL, "a status with malformed details: " + e.getMessage()));
                }
            }
        }
        return Optional.empty();
    }

    private static DhtException withRequestId(DhtException error, ErrorInfo info) {
        if (!(error instanceof IndeterminateException unknown) || !info.containsMetadata(REQUEST_ID)) {
            return error;
        }
        try {
            return unknown.withRequestId(RequestId.parse(info.getMetadataOrThrow(REQUEST_ID)));
        } catch (InvalidRequestException e) {
            // The error itself is known all the same.
            return error;
        }
    }

    private static ErrorCode code(ErrorInfo info) {
        try {
            return ErrorCode.byNumber(Integer.parseInt(info.getMetadataOrDefault("code", "")))
                    .orElse(ErrorCode.INTERNAL);
        } catch (NumberFormatException e) {
            return ErrorCode.INTERNAL;
        }
    }
}
