package io.dht4j.transport.grpc.api;

import static io.dht4j.transport.grpc.api.GrpcApiNodes.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.UnavailableException;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.spi.RemoteApi;
import io.dht4j.spi.TlsFiles;
import io.dht4j.testkit.tls.TestCertificates;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who talks to whom when the API has a certificate. */
@Timeout(60)
class GrpcApiTlsTest {

    private static final CallOptions OPTIONS = CallOptions.defaults().withTimeout(PATIENCE);

    @TempDir
    private static Path directory;

    private static TestCertificates authority;
    private static TestCertificates.Issued issued;
    private static final SteeredCluster CLUSTER = new SteeredCluster();
    private static GrpcApi api;

    @BeforeAll
    static void start() {
        authority = TestCertificates.in(directory);
        issued = authority.issue("localhost", "127.0.0.1");
        api = listening(issued);
    }

    private static GrpcApi listening(TestCertificates.Issued certificate) {
        return GrpcApi.listening(
                "127.0.0.1",
                0,
                CLUSTER,
                GrpcApiOptions.defaults().withTls(certificate.server()).withDrainTimeout(Duration.ZERO));
    }

    @AfterAll
    static void close() {
        api.close();
    }

    private static String status(GrpcApi called, String host, GrpcRemoteOptions options) throws Exception {
        try (RemoteApi client = GrpcRemote.create(options)) {
            return client.status(host + ":" + called.port(), OPTIONS)
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS)
                    .id()
                    .value();
        } catch (ExecutionException e) {
            DhtException error = (DhtException) DhtException.unwrap(e);
            return error.code().name();
        }
    }

    private static GrpcRemoteOptions trusting(TlsFiles files) {
        return GrpcRemoteOptions.defaults().withTls(files);
    }

    @Test
    void aClientThatTrustsTheAuthorityIsServed() throws Exception {
        assertThat(status(api, "127.0.0.1", trusting(authority.trusting()))).isEqualTo("n1");
        assertThat(status(api, "localhost", trusting(authority.trusting()))).isEqualTo("n1");
        assertThat(status(api, "127.0.0.1", trusting(authority.mutual("somebody"))))
                .as("a certificate of the client's is not asked for, and does no harm")
                .isEqualTo("n1");
    }

    @Test
    void aForeignAuthorityIsRefusedAndNothingWasSent() throws Exception {
        TestCertificates foreign = TestCertificates.in(directory);
        assertThat(status(api, "127.0.0.1", trusting(foreign.trusting()))).isEqualTo(ErrorCode.NOT_SENT.name());
    }

    @Test
    void aCertificateForAnotherHostIsRefused() throws Exception {
        try (GrpcApi other = listening(authority.issue("elsewhere.example"))) {
            assertThat(status(other, "127.0.0.1", trusting(authority.trusting())))
                    .isEqualTo(ErrorCode.NOT_SENT.name());
        }
    }

    @Test
    void anExpiredCertificateIsRefused() throws Exception {
        try (GrpcApi other = listening(authority.issueExpired("localhost", "127.0.0.1"))) {
            assertThat(status(other, "127.0.0.1", trusting(authority.trusting())))
                    .isEqualTo(ErrorCode.NOT_SENT.name());
        }
    }

    @Test
    void plaintextAndTlsDoNotMix() throws Exception {
        assertThat(status(api, "127.0.0.1", GrpcRemoteOptions.defaults()))
                .isIn(ErrorCode.NOT_SENT.name(), ErrorCode.INTERNAL.name());
        try (GrpcApi plain = GrpcApi.listening("127.0.0.1", 0, CLUSTER, GrpcApiOptions.defaults())) {
            assertThat(status(plain, "127.0.0.1", trusting(authority.trusting())))
                    .isEqualTo(ErrorCode.NOT_SENT.name());
        }
    }

    @Test
    void aClientWithoutTlsIsAskedWhetherItNeedsIt() {
        assertThatThrownBy(() -> RemoteCluster.connect(
                        GrpcRemote.create(GrpcRemoteOptions.defaults()),
                        List.of("127.0.0.1:" + api.port()),
                        RemoteOptions.defaults()))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("does it speak gRPC, and TLS as this client does?");
    }

    @Test
    void aNewCertificateCountsWithoutARestart() throws Exception {
        TestCertificates old = TestCertificates.in(directory);
        TestCertificates.Issued files = old.issue("localhost", "127.0.0.1");
        try (GrpcApi other = listening(files)) {
            assertThat(status(other, "127.0.0.1", trusting(old.trusting()))).isEqualTo("n1");
            TestCertificates.Issued renewed = authority.issue("localhost", "127.0.0.1");
            TestCertificates.replace(files.certificate(), renewed.certificate());
            TestCertificates.replace(files.key(), renewed.key());
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(status(other, "127.0.0.1", trusting(authority.trusting())))
                            .isEqualTo("n1"));
        }
    }

    @Test
    void filesThatAreMissingKeepItFromStarting() {
        Path missing = directory.resolve("missing.pem");
        assertThatThrownBy(() -> GrpcApi.listening(
                        "127.0.0.1",
                        0,
                        CLUSTER,
                        GrpcApiOptions.defaults().withTls(TlsFiles.server(missing, issued.key()))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(missing.toString());
        assertThatThrownBy(() -> GrpcRemote.create(trusting(TlsFiles.trusting(missing))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(missing.toString());
        assertThatThrownBy(() -> GrpcApiOptions.defaults().withTls(authority.trusting()))
                .hasMessageContaining("needs a certificate");
    }
}
