package io.dht4j.transport.grpc.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.IndeterminateException;
import io.dht4j.RequestId;
import io.dht4j.transport.grpc.api.internal.common.ApiErrors;
import io.grpc.InternalMetadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The documented table of errors is the one that the code has, and what it says of retries is true. */
class GrpcApiDocumentTest {

    @Test
    void theTableOfErrorsIsComplete() throws IOException {
        StringBuilder expected = new StringBuilder("| code | name | status | action |\n|---|---|---|---|\n");
        for (ErrorCode code : ErrorCode.values()) {
            expected.append("| ")
                    .append(code.number())
                    .append(" | `")
                    .append(code.name())
                    .append("` | `")
                    .append(ApiErrors.status(code))
                    .append("` | `")
                    .append(code.action())
                    .append("` |\n");
        }
        String document = Files.readString(Path.of("..", "docs", "reference", "grpc-api.md"));
        int begin = document.indexOf('\n', document.indexOf("<!-- errors:")) + 1;
        assertThat(document.substring(begin, document.indexOf("<!-- end of errors -->")))
                .isEqualTo(expected.toString());
    }

    @ParameterizedTest
    @EnumSource
    void onlyErrorsWithoutEffectHaveARepeatableStatus(ErrorCode code) {
        Set<Status.Code> repeatedBySomePolicies = Set.of(
                Status.Code.UNAVAILABLE,
                Status.Code.RESOURCE_EXHAUSTED,
                Status.Code.DEADLINE_EXCEEDED,
                Status.Code.ABORTED,
                Status.Code.CANCELLED);
        boolean harmless =
                code.action() == ErrorCode.Action.RETRY_ANYWHERE || code.action() == ErrorCode.Action.BACK_OFF;
        assertThat(repeatedBySomePolicies.contains(ApiErrors.status(code))).isEqualTo(harmless);
    }

    @ParameterizedTest
    @EnumSource
    void everyErrorCarriesItsDetailsAndComesBack(ErrorCode code) throws Exception {
        StatusRuntimeException sent = ApiErrors.encode(DhtException.of(code, "why: ключ"));
        com.google.rpc.Status details = StatusProto.fromThrowable(sent);
        ErrorInfo info = details.getDetails(0).unpack(ErrorInfo.class);
        assertThat(info.getReason()).isEqualTo(code.name());
        assertThat(info.getDomain()).isEqualTo("dht4j");
        assertThat(info.getMetadataMap())
                .containsOnly(
                        java.util.Map.entry("code", String.valueOf(code.number())),
                        java.util.Map.entry("action", code.action().name()));
        DhtException back =
                ApiErrors.decode(sent.getStatus(), sent.getTrailers()).orElseThrow();
        assertThat(back.code()).isEqualTo(code);
        assertThat(back).hasMessage("why: ключ");
    }

    @Test
    void anUnknownOutcomeCarriesItsRequest() throws Exception {
        RequestId id = RequestId.next();
        StatusRuntimeException sent =
                ApiErrors.encode(new IndeterminateException(ErrorCode.NO_REPLY, "it may be done").withRequestId(id));
        ErrorInfo info = StatusProto.fromThrowable(sent).getDetails(0).unpack(ErrorInfo.class);
        assertThat(info.getMetadataMap()).containsEntry("request_id", id.toString());
        assertThat(ApiErrors.decode(sent.getStatus(), sent.getTrailers()))
                .hasValueSatisfying(back -> assertThat(back)
                        .isInstanceOfSatisfying(
                                IndeterminateException.class,
                                unknown -> assertThat(unknown.requestId()).contains(id)));
    }

    @ParameterizedTest
    @CsvSource({"NO_REPLY, no id", "NO_REPLY, ''", "BAD_REQUEST, 01a31be3-6c00-7000-8000-000000000000"})
    void aRequestIdThatMakesNoSenseIsIgnored(ErrorCode code, String id) {
        StatusRuntimeException sent = StatusProto.toStatusRuntimeException(com.google.rpc.Status.newBuilder()
                .setCode(ApiErrors.status(code).value())
                .setMessage("why")
                .addDetails(Any.pack(ErrorInfo.newBuilder()
                        .setDomain("dht4j")
                        .putMetadata("code", String.valueOf(code.number()))
                        .putMetadata("request_id", id)
                        .build()))
                .build());
        DhtException back =
                ApiErrors.decode(sent.getStatus(), sent.getTrailers()).orElseThrow();
        assertThat(back.code()).isEqualTo(code);
        assertThat(back instanceof IndeterminateException unknown
                        && unknown.requestId().isPresent())
                .isFalse();
    }

    @Test
    void aCodeOfALaterVersionIsAnInternalError() {
        for (String number : new String[] {"1999", "many", ""}) {
            StatusRuntimeException sent = StatusProto.toStatusRuntimeException(com.google.rpc.Status.newBuilder()
                    .setCode(Status.Code.INVALID_ARGUMENT.value())
                    .setMessage("new here")
                    .addDetails(Any.pack(ErrorInfo.newBuilder()
                            .setDomain("dht4j")
                            .setReason("NEW")
                            .putMetadata("code", number)
                            .build()))
                    .build());
            assertThat(ApiErrors.decode(sent.getStatus(), sent.getTrailers())
                            .orElseThrow()
                            .code())
                    .isEqualTo(ErrorCode.INTERNAL);
        }
        assertThat(ApiErrors.decode(Status.UNAVAILABLE, null)).isEmpty();
    }

    @Test
    void aLongMessageLeavesRoomInTheTrailers() {
        StatusRuntimeException sent = ApiErrors.encode(DhtException.of(ErrorCode.INTERNAL, "東".repeat(100_000)));
        int bytes = 0;
        for (byte[] part : InternalMetadata.serialize(sent.getTrailers())) {
            bytes += part.length;
        }
        assertThat(bytes + 9 * sent.getStatus().getDescription().length()).isLessThan(4096);
    }

    @Test
    void theSchemaIsShipped() throws IOException {
        try (InputStream shipped = getClass().getResourceAsStream("/dht4j/v1/key_value.proto")) {
            assertThat(shipped).isNotNull();
            assertThat(shipped.readAllBytes())
                    .isEqualTo(Files.readAllBytes(Path.of("src/main/proto/dht4j/v1/key_value.proto")));
        }
    }
}
