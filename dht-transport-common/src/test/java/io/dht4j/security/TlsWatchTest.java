package io.dht4j.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.NodeId;
import io.dht4j.testkit.tls.TestCertificates;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.Test;

/** The watch over the files, and connections meanwhile. */
class TlsWatchTest extends TlsReload {

    @Test
    void filesAreWatchedWithoutBeingAsked() throws Exception {
        Tls watched = opened(Tls.load(issued.mutual(), warnings::add));
        X509Certificate before = meet(watched);
        TestCertificates.Issued next = certificates.issue("n1", "localhost");
        TestCertificates.replace(issued.certificate(), next.certificate());
        TestCertificates.replace(issued.key(), next.key());
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(warnings).anyMatch(line -> line.endsWith("read again")));
        assertThat(meet(watched)).isNotEqualTo(before);
    }

    @Test
    void watchSurvivesAThrowingConsumerAndEndsWhenClosed() throws Exception {
        AtomicInteger told = new AtomicInteger();
        Tls tls = Tls.load(certificates.mutual("n3"), line -> {
            told.incrementAndGet();
            throw new IllegalStateException("thrown on purpose, the watch goes on");
        });
        Path authority = certificates.authority();
        Path whole = Files.copy(authority, authority.resolveSibling("whole.pem"));
        Path nothing = Files.writeString(authority.resolveSibling("nothing.pem"), "nothing");
        TestCertificates.replace(authority, nothing);
        await().dontCatchUncaughtExceptions().atMost(Duration.ofSeconds(30)).until(() -> told.get() == 1);
        TestCertificates.replace(authority, whole);
        await().dontCatchUncaughtExceptions().atMost(Duration.ofSeconds(30)).until(() -> told.get() == 2);
        tls.close();
        tls.close();
        close();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().equals("dht4j-tls-files")));
        assertThat(tls.keyManager().chooseEngineServerAlias("EC", null, null)).isNotNull();
    }

    @Test
    void connectionsOverSocketsGoOnWhileEveryFileIsReplaced() throws Exception {
        List<Throwable> refused = new CopyOnWriteArrayList<>();
        ExecutorService threads = Executors.newCachedThreadPool();
        try (SSLServerSocket listener = (SSLServerSocket)
                context(server).getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            listener.setNeedClientAuth(true);
            threads.execute(() -> echo(listener, threads, refused));
            try (SSLSocket stays = connect(listener.getLocalPort())) {
                exchange(stays);
                String authority = Files.readString(certificates.authority());
                for (int i = 0; i < 10; i++) {
                    TestCertificates.Issued next = certificates.issue("n1", "localhost");
                    TestCertificates.replace(issued.certificate(), next.certificate());
                    Look.once(server);
                    exchange(listener.getLocalPort());
                    TestCertificates.replace(issued.key(), next.key());
                    Files.writeString(certificates.authority(), authority + "# " + i + "\n");
                    Look.at(server);
                    Look.at(client);
                    exchange(listener.getLocalPort());
                    exchange(stays);
                }
            }
            assertThat(refused).isEmpty();
            assertThat(warnings).hasSizeGreaterThanOrEqualTo(10).allMatch(line -> line.endsWith("read again"));
        } finally {
            threads.shutdown();
        }
    }

    /** Serves each connection on a thread of its own until the listener is closed. */
    private static void echo(SSLServerSocket listener, ExecutorService threads, List<Throwable> refused) {
        try {
            while (true) {
                Socket accepted = listener.accept();
                threads.execute(() -> {
                    try (Socket socket = accepted) {
                        for (int next = socket.getInputStream().read();
                                next >= 0;
                                next = socket.getInputStream().read()) {
                            socket.getOutputStream().write(next);
                        }
                    } catch (SSLException e) {
                        refused.add(e);
                    } catch (IOException e) {
                        // The client hung up first.
                    }
                });
            }
        } catch (IOException e) {
            // The listener was closed: the test is over.
        }
    }

    private void exchange(int port) throws Exception {
        try (SSLSocket socket = connect(port)) {
            exchange(socket);
        }
    }

    private static void exchange(SSLSocket socket) throws IOException {
        socket.getOutputStream().write(9);
        assertThat(socket.getInputStream().read()).isEqualTo(9);
    }

    /** Each with a context of its own: no session is resumed. */
    private SSLSocket connect(int port) throws Exception {
        SSLContext calling = SSLContext.getInstance("TLS");
        calling.init(
                new KeyManager[] {client.keyManager()},
                new TrustManager[] {
                    client.trustManager((host, at) ->
                            host.equals("localhost") && at == port ? Optional.of(new NodeId("n1")) : Optional.empty())
                },
                null);
        SSLSocket socket = (SSLSocket) calling.getSocketFactory().createSocket("localhost", port);
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static SSLContext context(Tls tls) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(new KeyManager[] {tls.keyManager()}, new TrustManager[] {tls.trustManager()}, null);
        return context;
    }
}
