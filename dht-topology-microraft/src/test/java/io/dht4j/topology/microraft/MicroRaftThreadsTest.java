package io.dht4j.topology.microraft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.DhtException;
import io.dht4j.NodeId;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLog;
import io.dht4j.spi.TopologyLog.Applier;
import io.dht4j.spi.TopologyLogException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Logs with real threads, time and disks, and calls from several threads. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@Tag("jdk")
class MicroRaftThreadsTest {

    private static final Duration BOUND = Duration.ofSeconds(60);

    @TempDir
    Path root;

    private final SystemEnvironment environment = SystemEnvironment.create("topology");
    private final Map<NodeRef, TopologyLog> logs = new LinkedHashMap<>();
    private final Map<NodeRef, Applied> applied = new LinkedHashMap<>();

    /** Keeps what it applies, and notices if two threads are in it. */
    private static final class Applied implements Applier {
        private final List<String> commands = new CopyOnWriteArrayList<>();
        private final AtomicBoolean busy = new AtomicBoolean();
        private final AtomicBoolean clashed = new AtomicBoolean();

        @Override
        public void apply(long index, byte[] command) {
            if (busy.getAndSet(true)) {
                clashed.set(true);
            }
            commands.add(new String(command, StandardCharsets.UTF_8));
            busy.set(false);
        }

        @Override
        public byte[] snapshot() {
            return String.join("\n", commands).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public void restore(long index, byte[] snapshot) {
            commands.clear();
            commands.addAll(List.of(new String(snapshot, StandardCharsets.UTF_8).split("\n")));
        }
    }

    @AfterEach
    void close() {
        logs.values().forEach(TopologyLog::close);
        environment.close();
    }

    private void start(List<NodeRef> members) {
        for (NodeRef member : members) {
            MicroRaftOptions options = MicroRaftOptions.of(member, members, root.resolve(String.valueOf(member.name())))
                    .withSnapshotEntries(50);
            logs.put(member, MicroRaftTopologyLog.open(options, environment));
            applied.put(member, new Applied());
        }
        logs.forEach((member, log) -> log.start(
                applied.get(member),
                (to, message) ->
                        environment.executor().execute(() -> logs.get(to).received(member, message))));
    }

    private TopologyLog leader() {
        await().atMost(BOUND).until(() -> logs.values().stream().anyMatch(TopologyLog::leads));
        return logs.values().stream().filter(TopologyLog::leads).findFirst().orElseThrow();
    }

    private CompletableFuture<Long> append(String command) {
        return leader().append(
                        command.getBytes(StandardCharsets.UTF_8), new CallContext(System::nanoTime, BOUND.toNanos()))
                .toCompletableFuture();
    }

    private boolean isAgreed(CompletableFuture<Long> call) {
        try {
            return call.join() > 0;
        } catch (RuntimeException e) {
            assertThat(DhtException.unwrap(e)).isInstanceOf(TopologyLogException.class);
            return false;
        }
    }

    @Test
    void threadsAgreeAndEverythingIsThereAfterARestart() throws InterruptedException {
        List<NodeRef> members = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            members.add(new NodeRef(new NodeId("n" + i), new UUID(i, i)));
        }
        start(members);
        List<String> agreed = new CopyOnWriteArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            String name = "thread " + t;
            Thread thread = new Thread(() -> {
                for (int i = 0; i < 50; i++) {
                    if (isAgreed(append(name + " command " + i))) {
                        agreed.add(name + " command " + i);
                    }
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(agreed).hasSizeGreaterThan(100);
        await().atMost(BOUND)
                .untilAsserted(() -> assertThat(applied.values())
                        .allSatisfy(one -> assertThat(one.commands).containsAll(agreed)));
        assertThat(applied.values().stream()
                        .map(one -> List.copyOf(one.commands))
                        .distinct())
                .hasSize(1);
        assertThat(applied.values()).noneMatch(one -> one.clashed.get());

        logs.values().forEach(TopologyLog::close);
        logs.clear();
        applied.clear();
        start(members);
        assertThat(isAgreed(append("last"))).isTrue();
        await().atMost(BOUND)
                .untilAsserted(() -> assertThat(applied.values())
                        .allSatisfy(one ->
                                assertThat(one.commands).containsAll(agreed).contains("last")));
    }
}
