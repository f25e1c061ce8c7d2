package io.dht4j.server.fuzz;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.server.ServerProcess;
import io.dht4j.server.TestNodes;
import io.dht4j.server.config.TransportChoice.Protocol;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.testkit.SearchEffort;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.testkit.network.TcpTable;
import io.dht4j.transport.grpc.GrpcTransport;
import io.dht4j.transport.grpc.GrpcTransportOptions;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import io.dht4j.transport.http.fixture.RawHttp;
import io.dht4j.transport.tcp.TcpTransport;
import io.dht4j.transport.tcp.TcpTransportOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server in a process of its own, whose endpoints all get random and spoiled messages: the public HTTP API, the
 * public gRPC API, and the endpoint for peers over each transport; the peer's own answers are spoiled, too. Each
 * message must get a correct answer, or one clear error with a number. Nothing may hang, leak or log a stack trace, and
 * the server must serve afterwards. System properties: {@code dht.fuzz.seed}, and {@code dht.fuzz.messages} for each of
 * the three.
 */
@Tag("search")
class FuzzedServerTest {

    private static final long SEED = Long.getLong("dht.fuzz.seed", 1);
    private static final int MESSAGES = Integer.getInteger("dht.fuzz.messages", SearchEffort.of(1_500));

    /** How many messages of each kind there are between two good writes. */
    private static final int MESSAGES_BETWEEN_CHECKS = Math.max(1, Math.min(100, MESSAGES / 15));

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** Protocol, type and flags, and what stands between the names and the message. */
    private static final int FRAME_START_BYTES = 3;

    private static final int FRAME_REST_BYTES = 32;
    private static final int FRAME_FAILED = 0xFF;
    /**
     * What a server may hold more after thousands of messages than after some: what it stored, and what it has learned.
     */
    private static final long MAX_GROWTH_BYTES = 24 << 20;

    private static final int SPARE_DESCRIPTORS = 8;

    @TempDir
    private Path directory;

    private final Collection<byte[]> frames = new ConcurrentLinkedQueue<>();
    /** What the peer answers with, spoiled, instead of the truth. */
    private volatile List<byte[]> lies = List.of();

    /**
     * Good writes that could be read, and those that could not, since the peer claims to have purged their partitions.
     */
    private int served;

    private int closed;

    private int port;
    private int grpcPort;
    private Node victim;

    @Test
    void fuzzedServerWithHttpPeersLeaksNothing() throws Exception {
        attack(Protocol.HTTP);
    }

    @Test
    @Tag("full")
    void fuzzedServerWithGrpcPeersLeaksNothing() throws Exception {
        attack(Protocol.GRPC);
    }

    @Test
    @Tag("full")
    void fuzzedServerWithTcpPeersLeaksNothing() throws Exception {
        attack(Protocol.TCP);
    }

    private void attack(Protocol protocol) throws Exception {
        String repeat = "mvn -pl dht-server -am verify -Pfull -Dtest=FuzzedServerTest "
                + "-Dsurefire.failIfNoSpecifiedTests=false -Ddht.fuzz.seed="
                + SEED + " -Ddht.fuzz.messages=" + MESSAGES;
        say("seed " + SEED + " over " + protocol + ", again with: " + repeat);
        SplittableRandom random = new SplittableRandom(SEED);
        List<Integer> ports = FreePorts.find(4);
        port = ports.get(0);
        grpcPort = ports.get(1);
        victim = Node.of("n1", "127.0.0.1:" + ports.get(2));
        String peers = "n1=" + victim.address() + ",n2=127.0.0.1:" + ports.get(3);
        try (Transport peer = transport(protocol, ports.get(3));
                ServerProcess server = ServerProcess.start(directory, options(protocol, peers))) {
            SplittableRandom lying = random.split();
            peer.start((request, context) -> answerAsPeer(request, lying))
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS);
            server.awaitReady();
            List<byte[]> recorded = recordFrames();
            lies = replies(peer, recorded);
            // The classes are loaded and the pools are filled before anything is measured.
            assault(peer, server, recorded, random, MESSAGES / 5);
            awaitNoConnections(server, Integer.MAX_VALUE);
            int descriptors = descriptors(server);
            long before = liveBytes(server);

            assault(peer, server, recorded, random, MESSAGES);

            awaitNoConnections(server, descriptors + SPARE_DESCRIPTORS);
            assertThat(liveBytes(server) - before).as("growth of the heap").isLessThan(MAX_GROWTH_BYTES);
            assertServes(server, 0);
            say(served + " good writes were read, " + closed
                    + " were in partitions that the peer's answers had closed");
            assertThat(served).as("good writes that were read").isGreaterThan(closed);
            assertThat(server.err().lines().filter(line -> line.startsWith("\tat ") || line.contains("Exception")))
                    .as("exceptions in the log")
                    .isEmpty();
        } catch (Exception | AssertionError e) {
            say(e + System.lineSeparator() + "[fuzz] failed, again with: " + repeat);
            throw e;
        }
    }

    private String[] options(Protocol protocol, String peers) {
        return new String[] {
            "--id",
            "n1",
            "--listen",
            "127.0.0.1:" + port,
            "--grpc-listen",
            "127.0.0.1:" + grpcPort,
            "--peers",
            peers,
            // The peer never answers while frames are recorded.
            "--start-patience",
            "0",
            "--transport",
            TestNodes.nameOf(protocol),
            "--data",
            directory.resolve("n1").toString(),
            "--timeout",
            "200"
        };
    }

    private static Transport transport(Protocol protocol, int port) {
        return switch (protocol) {
            case HTTP -> HttpTransport.create(HttpTransportOptions.at("127.0.0.1", port));
            case GRPC -> GrpcTransport.create(GrpcTransportOptions.at("127.0.0.1", port));
            case TCP -> TcpTransport.create(TcpTransportOptions.at("127.0.0.1", port));
        };
    }

    /** Records frames and never answers, until there are replies to spoil. */
    private CompletableFuture<byte[]> answerAsPeer(byte[] request, SplittableRandom random) {
        List<byte[]> good = lies;
        if (good.isEmpty()) {
            frames.add(request.clone());
            return new CompletableFuture<>();
        }
        synchronized (random) {
            return CompletableFuture.completedFuture(Mutation.of(good, random));
        }
    }

    /** Genuine replies, to genuine requests. */
    private List<byte[]> replies(Transport peer, List<byte[]> requests) throws Exception {
        List<byte[]> replies = new ArrayList<>();
        for (byte[] request : requests) {
            replies.add(call(peer, request));
        }
        return replies;
    }

    /** Lets the server call its peer, which records the frames that it gets and never answers. */
    private List<byte[]> recordFrames() throws Exception {
        for (String request : List.of(
                "PUT /v0/entity?id=key&ack=2&from=2",
                "GET /v0/entity?id=key&ack=2&from=2",
                "DELETE /v0/entity?id=other&ack=2&from=2",
                "GET /v0/entities?start=a&ack=2&from=2")) {
            assertThat(exchange(HttpRequests.bytes(request
                                    + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"))
                            .status())
                    .isEqualTo(504);
        }
        await().atMost(PATIENCE)
                .until(() -> frames.stream().map(frame -> frame[1]).distinct().count() >= 3);
        return List.copyOf(frames);
    }

    private void assault(
            Transport peer, ServerProcess server, List<byte[]> recorded, SplittableRandom random, int messages)
            throws Exception {
        FuzzedGrpcApi grpc = new FuzzedGrpcApi(grpcPort);
        try {
            for (int i = 0; i < messages; i++) {
                attackHttp(random);
                grpc.attack(random);
                attackAsPeer(peer, Mutation.of(recorded, random));
                if (i % MESSAGES_BETWEEN_CHECKS == 0) {
                    assertServes(server, i);
                    noise(random);
                }
            }
        } finally {
            grpc.close();
        }
    }

    private void attackHttp(SplittableRandom random) throws Exception {
        byte[] request = HttpRequests.next(random);
        String shown = new String(request, 0, Math.min(200, request.length), ISO_8859_1);
        HttpAnswers.check(exchange(request), shown);
    }

    private RawHttp.Answer exchange(byte[] request) throws IOException {
        try (RawHttp http = new RawHttp(port)) {
            return http.send(request).read();
        }
    }

    private byte[] call(Transport peer, byte[] frame) throws Exception {
        return peer.call(victim, Frame.of(frame), new CallContext(System::nanoTime, PATIENCE.toNanos()))
                .toCompletableFuture()
                .get(2 * PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Where the message stands, behind the names of the sender and the recipient. */
    private static int messageAt(byte[] frame) {
        int recipient = FRAME_START_BYTES + 1 + frame[FRAME_START_BYTES];
        return recipient + 1 + frame[recipient] + FRAME_REST_BYTES;
    }

    private void attackAsPeer(Transport peer, byte[] frame) throws Exception {
        byte[] reply;
        try {
            reply = call(peer, frame);
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(TransportException.class);
            fail("a frame of " + frame.length + " bytes was not answered: " + e.getCause());
            return;
        }
        assertThat(reply[0]).as("protocol version").isEqualTo((byte) 2);
        assertThat(reply[1] & 0xFF).as("a reply's type").isGreaterThanOrEqualTo(0x80);
        if ((reply[1] & 0xFF) == FRAME_FAILED) {
            int number = ByteBuffer.wrap(reply).getShort(messageAt(reply));
            assertThat(ErrorCode.byNumber(number))
                    .as("the error's number, %d", number)
                    .isPresent();
            assertThat(ErrorCode.byNumber(number)).isNotEqualTo(ErrorCode.INTERNAL);
            HttpAnswers.requireNoTrace(new String(reply, ISO_8859_1), "a frame of a peer");
        }
    }

    /** Bytes of no protocol at all, at each port: a closed connection will do. */
    private void noise(SplittableRandom random) throws IOException {
        for (int target :
                List.of(port, grpcPort, Integer.parseInt(victim.address().split(":")[1]))) {
            try (RawHttp connection = new RawHttp(target)) {
                connection.send(Mutation.of(List.of(HttpRequests.next(random)), random));
            } catch (IOException e) {
                // It was closed while more was on its way.
            }
        }
    }

    /**
     * A good write succeeds, and the server's own copy shows it in the end: one answer of two is enough, and the peer
     * may claim a write that the server has not finished. For the same reason a read that asks the peer, too, may find
     * nothing. The server must believe the purges that the peer claims, because its own disk may be a rolled-back one:
     * such a partition takes writes, and refuses reads with that reason.
     */
    private void assertServes(ServerProcess server, int number) throws Exception {
        String target = "/v0/entity?id=" + ownKey("good" + number) + "&ack=1&from=";
        String rest = " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
        await("a write within its short timeout").atMost(PATIENCE).until(() -> {
            RawHttp.Answer written =
                    exchange(HttpRequests.bytes("PUT " + target + 2 + rest + "Content-Length: 4\r\n\r\ngood"));
            if (written.status() == 504 && written.text().contains("before the deadline")) {
                // The process stood still meanwhile.
                return false;
            }
            assertThat(written.status()).as(written.text()).isEqualTo(201);
            return true;
        });
        await("the write of good" + number).atMost(PATIENCE).untilAsserted(() -> {
            RawHttp.Answer read = exchange(HttpRequests.bytes("GET " + target + 1 + rest + "\r\n"));
            if (read.status() == 504 && read.text().contains("was rolled back to before")) {
                assertThat(log(server)).contains("the disk of this node was rolled back: n2 reports that");
                closed++;
                return;
            }
            if (read.status() == 504 && read.text().contains("check both clocks")) {
                assertThat(log(server))
                        .contains("partitions have been purged up to a time that this node's clock is far from");
                closed++;
                return;
            }
            assertThat(read.status())
                    .as(() -> read.text() + System.lineSeparator() + log(server))
                    .isEqualTo(200);
            assertThat(read.text()).isEqualTo("good");
            served++;
        });
    }

    /** What the server has logged, for a failure to show. */
    private static String log(ServerProcess server) {
        try {
            return server.err();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A key of which the server is the first replica. */
    private String ownKey(String prefix) throws IOException {
        for (int i = 0; i < 100; i++) {
            String key = prefix + "-" + i;
            RawHttp.Answer located = exchange(HttpRequests.bytes(
                    "GET /v0/placement?id=" + key + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
            assertThat(located.status()).isEqualTo(200);
            if (located.text().contains("\"replicas\":[\"n1\"")) {
                return key;
            }
        }
        throw new AssertionError("n1 is the first replica of none of a hundred keys");
    }

    /** Waits until no client is connected to a public port any more, and no more than so many files are open. */
    private void awaitNoConnections(ServerProcess server, int descriptors) {
        await("connections are closed").atMost(Duration.ofSeconds(90)).untilAsserted(() -> {
            assertThat(TcpTable.openByListenerAt(port) + TcpTable.openByListenerAt(grpcPort))
                    .isZero();
            assertThat(descriptors(server)).isLessThanOrEqualTo(descriptors);
        });
    }

    private static int descriptors(ServerProcess server) throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/" + server.pid() + "/fd"))) {
            return (int) open.count();
        }
    }

    /** What is in use after a collection of everything. */
    private static long liveBytes(ServerProcess server) throws Exception {
        Process jcmd = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        String.valueOf(server.pid()),
                        "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        String histogram = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(jcmd.waitFor()).as(histogram).isZero();
        String total = histogram
                .lines()
                .filter(line -> line.startsWith("Total"))
                .findFirst()
                .orElseThrow();
        return Long.parseLong(total.strip().split("\\s+")[2]);
    }

    @SuppressWarnings("SystemOut")
    private static void say(String what) {
        System.out.println("[fuzz] " + what);
    }
}
