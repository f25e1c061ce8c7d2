package io.dht4j.examples.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("portable")
class LoaderTest {

    private static final int LARGE = 16 << 20;
    /** More than may be under way together, in requests or in bytes. */
    private static final int LINES = 6;

    @Test
    void an_interrupt_ends_a_load_that_waits_for_room_in_bytes() throws Exception {
        // 16 MiB each: the fifth has to wait for its bytes, with requests to spare.
        assertThat(outcomeOfInterrupt(new byte[LARGE], 64)).isInstanceOf(InterruptedException.class);
    }

    @Test
    void an_interrupt_ends_a_load_that_waits_for_room_in_requests() throws Exception {
        assertThat(outcomeOfInterrupt(new byte[1], 2)).isInstanceOf(InterruptedException.class);
    }

    /** Interrupts a load to a node that accepts and says nothing. */
    private static Throwable outcomeOfInterrupt(byte[] value, int parallel) throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 64, InetAddress.getLoopbackAddress())) {
            URI node = URI.create("http://127.0.0.1:" + silent.getLocalPort());
            Loader loader = new Loader(new DhtClient(List.of(node), Duration.ofSeconds(2)), parallel);
            CompletableFuture<Throwable> outcome = new CompletableFuture<>();
            Thread thread = new Thread(() -> {
                try {
                    loader.load(lines(value), ItemFormat.TSV, bytes -> {});
                    outcome.complete(new AssertionError("loaded"));
                } catch (Throwable e) {
                    outcome.complete(e);
                }
            });
            thread.start();
            await().atMost(Duration.ofSeconds(30)).until(() -> thread.getState() == Thread.State.WAITING);
            thread.interrupt();
            return outcome.get(30, TimeUnit.SECONDS);
        }
    }

    private static InputStream lines(byte[] value) {
        Arrays.fill(value, (byte) 'v');
        List<InputStream> parts = new ArrayList<>();
        for (int i = 0; i < LINES; i++) {
            parts.add(new ByteArrayInputStream(("k" + i + "\t").getBytes(StandardCharsets.US_ASCII)));
            parts.add(new ByteArrayInputStream(value));
            parts.add(new ByteArrayInputStream(new byte[] {'\n'}));
        }
        return new SequenceInputStream(Collections.enumeration(parts));
    }
}
