package io.dht4j.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.AtomicMap;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Codec;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.Versioned;
import io.dht4j.server.ServerNode;
import io.dht4j.server.TestNodes;
import io.dht4j.server.backup.SnapshotReader;
import io.dht4j.server.client.Item;
import io.dht4j.server.client.ItemSource;
import io.dht4j.server.config.ServerConfig;
import io.dht4j.server.config.Setting;
import io.dht4j.testkit.network.FreePorts;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotCommandsTest {

    @TempDir
    private Path temporary;

    private final List<ServerNode> running = new ArrayList<>();

    @AfterEach
    void stopNodes() {
        running.forEach(ServerNode::close);
    }

    private List<ServerNode> cluster(int size, Map<Setting, String> more) throws Exception {
        List<Integer> ports = FreePorts.find(size);
        List<ServerNode> nodes = new ArrayList<>();
        for (int number = 1; number <= size; number++) {
            ServerNode node = TestNodes.start(number, ports, more);
            nodes.add(node);
            running.add(node);
        }
        return nodes;
    }

    private static CommandLineRun run(ServerNode node, String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--node", node.url()));
        return CommandLineRun.of(all.toArray(String[]::new));
    }

    @Test
    void singleEntryIsReportedInTheSingular() throws Exception {
        ServerNode node = cluster(1, Map.of()).get(0);
        String directory = temporary.resolve("s").toString();
        succeeds(run(node, "put", "k", "v"));

        CommandLineRun taken = run(node, "snapshot", "--out", directory);
        CommandLineRun checked = run(node, "restore", "--check", "--in", directory);
        CommandLineRun restored = run(node, "restore", "--merge", "--in", directory);

        assertThat(taken.out()).contains(": 1 entry, 2 bytes, in 1 file of ");
        assertThat(checked.out()).contains(" is undamaged: 1 entry, 2 bytes");
        assertThat(restored.out()).contains(": 1 entry in ");
    }

    private static void succeeds(CommandLineRun run) {
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    private static Map<Key, String> contents(Cluster cluster) {
        Map<Key, String> contents = new TreeMap<>();
        cluster.scan(KeyRange.all())
                .forEach(entry -> contents.put(entry.key(), entry.value().text()))
                .toCompletableFuture()
                .join();
        return contents;
    }

    private static void put(ServerNode node, String key, String value, CallOptions options) {
        node.cluster()
                .put(Key.of(key), value.getBytes(StandardCharsets.UTF_8), options)
                .toCompletableFuture()
                .join();
    }

    private String path(String name) {
        return temporary.resolve(name).toString();
    }

    @Test
    void snapshotRestoresIntoAnySizeAndPlacement() throws Exception {
        ServerNode three = cluster(3, Map.of()).get(1);
        for (int i = 0; i < 700; i++) {
            put(three, "key \t\n\r\0 ü" + i, "value\n" + i, CallOptions.defaults());
        }
        put(three, "empty", "", CallOptions.defaults());
        put(three, "expires", "v", CallOptions.defaults().withTimeToLive(Duration.ofHours(1)));
        three.cluster().delete(Key.of("key \t\n\r\0 ü5")).toCompletableFuture().join();
        Map<Key, String> contents = contents(three.cluster());

        CommandLineRun taken = run(three, "snapshot", "--out", path("a"));
        succeeds(taken);
        assertThat(taken.out())
                .contains("701 entries")
                .contains("snapshot of 20")
                .contains("version ");
        assertThat(temporary).isDirectoryNotContaining("glob:**.part");
        succeeds(run(three, "restore", "--check", "--in", path("a")));

        ServerNode one = cluster(1, Map.of(Setting.PLACEMENT, "ring")).get(0);
        CommandLineRun restored = run(one, "restore", "--in", path("a"));
        succeeds(restored);
        assertThat(restored.out()).contains("701 entries");
        assertThat(contents(one.cluster())).isEqualTo(contents);
        Value expiring = one.cluster()
                .get(Key.of("expires"))
                .toCompletableFuture()
                .join()
                .orElseThrow();
        assertThat(Duration.between(Instant.now(), expiring.expiresAt().orElseThrow()))
                .isBetween(Duration.ofMinutes(50), Duration.ofHours(1));

        succeeds(run(one, "snapshot", "--out", path("b")));
        ServerNode five = cluster(5, Map.of(Setting.PLACEMENT, "jump", Setting.PARTITIONS, "64"))
                .get(4);
        succeeds(run(five, "restore", "--in", path("b"), "--parallel", "7"));
        assertThat(contents(five.cluster())).isEqualTo(contents);
    }

    /** Writes to its two keys in turn, for as long as it may. */
    private static void keepWriting(
            Cluster cluster,
            String name,
            int turn,
            AtomicBoolean stop,
            AtomicInteger busy,
            Map<Key, NavigableMap<Version, String>> acknowledged) {
        if (stop.get()) {
            busy.decrementAndGet();
            return;
        }
        Key key = Key.of(name + turn % 2);
        cluster.put(key, ("" + turn).getBytes(StandardCharsets.UTF_8)).whenComplete((version, error) -> {
            if (error == null) {
                acknowledged
                        .computeIfAbsent(key, k -> new ConcurrentSkipListMap<>())
                        .put(version, "" + turn);
            }
            // Not in this stack: nodes in memory answer at once.
            CompletableFuture.runAsync(() -> keepWriting(cluster, name, turn + 1, stop, busy, acknowledged));
        });
    }

    @Test
    void snapshotHoldsConcurrentWritesUpToItsVersion() throws Exception {
        List<ServerNode> nodes = cluster(3, Map.of());
        for (int i = 0; i < 3000; i++) {
            put(nodes.get(0), "filler%05d".formatted(i), "x".repeat(200), CallOptions.defaults());
        }
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger busy = new AtomicInteger(12);
        Map<Key, NavigableMap<Version, String>> acknowledged = new ConcurrentHashMap<>();
        for (int i = 0; i < 12; i++) {
            keepWriting(nodes.get(i % 3).cluster(), "writer" + i + "-", 0, stop, busy, acknowledged);
        }
        await().atMost(30, TimeUnit.SECONDS)
                .until(() -> acknowledged.size() == 24
                        && acknowledged.values().stream().noneMatch(Map::isEmpty));
        Map<Key, Version> before = new TreeMap<>();
        acknowledged.forEach((key, versions) -> before.put(key, versions.lastKey()));

        CommandLineRun taken = run(nodes.get(2), "snapshot", "--out", path("s"));
        // At once: what is written from now on was not written meanwhile.
        List<Version> atItsEnd =
                acknowledged.values().stream().map(NavigableMap::lastKey).toList();
        succeeds(taken);
        SnapshotReader snapshot = SnapshotReader.verified(temporary.resolve("s"), bytes -> {});
        Version cut = snapshot.info().cut();
        assertThat(atItsEnd)
                .as("writes that went on while it was taken")
                .anyMatch(version -> version.compareTo(cut) > 0);
        await("each key is written again")
                .atMost(30, TimeUnit.SECONDS)
                .until(() -> acknowledged.values().stream()
                        .allMatch(versions -> versions.lastKey().compareTo(cut) > 0));
        stop.set(true);
        await().atMost(30, TimeUnit.SECONDS).until(() -> busy.get() == 0);

        assertThat(snapshot.info().entries()).isEqualTo(3024);
        before.forEach((key, version) -> assertThat(version).isLessThan(cut));
        ItemSource items = snapshot.items();
        Optional<Item> item = items.next();
        while (item.isPresent()) {
            NavigableMap<Version, String> versions = acknowledged.get(item.get().key());
            if (versions != null) {
                Map.Entry<Version, String> newest = versions.floorEntry(cut);
                assertThat(newest).isNotNull();
                assertThat(item.get().version()).contains(newest.getKey());
                assertThat(new String(item.get().value(), StandardCharsets.UTF_8))
                        .isEqualTo(newest.getValue());
            }
            item = items.next();
        }
    }

    @Test
    void aDamagedSnapshotIsRefusedWhole() throws Exception {
        ServerNode node = cluster(1, Map.of()).get(0);
        for (int i = 0; i < 50; i++) {
            put(node, "key" + i, "value", CallOptions.defaults());
        }
        succeeds(run(node, "snapshot", "--out", path("s")));
        ServerNode other = cluster(1, Map.of()).get(0);
        Path data = temporary.resolve("s/data-000001.dht");
        byte[] whole = Files.readAllBytes(data);
        // In the very last entry: by then the others would be written.
        byte[] damaged = whole.clone();
        damaged[whole.length - 1] ^= 1;
        Files.write(data, damaged);

        for (String[] args : List.of(
                new String[] {"restore", "--in", path("s")},
                new String[] {"restore", "--in", path("s"), "--merge"},
                new String[] {"restore", "--in", path("s"), "--check"})) {
            CommandLineRun refused = run(other, args);
            assertThat(refused.exitCode()).isEqualTo(1);
            assertThat(refused.err())
                    .contains("snapshot " + path("s") + " refused: data-000001.dht: damaged")
                    .contains("entry 50")
                    .hasLineCount(1);
        }
        assertThat(contents(other.cluster())).isEmpty();
        Files.write(data, whole);
        succeeds(run(other, "restore", "--in", path("s")));
        assertThat(contents(other.cluster())).hasSize(50);
    }

    @Test
    void aClusterWithEntriesIsRefusedUnlessTheyAreToBeMerged() throws Exception {
        ServerNode node = cluster(1, Map.of()).get(0);
        put(node, "a", "from the snapshot", CallOptions.defaults());
        put(node, "b", "from the snapshot", CallOptions.defaults());
        succeeds(run(node, "snapshot", "--out", path("s")));
        put(node, "b", "later", CallOptions.defaults());
        put(node, "c", "later", CallOptions.defaults());

        CommandLineRun refused = run(node, "restore", "--in", path("s"));
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err()).contains("--merge").hasLineCount(1);
        assertThat(contents(node.cluster())).containsEntry(Key.of("b"), "later");

        succeeds(run(node, "restore", "--in", path("s"), "--merge"));
        assertThat(contents(node.cluster()))
                .containsEntry(Key.of("b"), "from the snapshot")
                .containsEntry(Key.of("c"), "later")
                .hasSize(3);
    }

    @Test
    void restoreLeavesOutExpiredEntries() throws Exception {
        ServerNode node = cluster(1, Map.of()).get(0);
        put(node, "stays", "v", CallOptions.defaults());
        put(node, "goes", "v", CallOptions.defaults().withTimeToLive(Duration.ofSeconds(10)));
        succeeds(run(node, "snapshot", "--out", path("s")));
        await().atMost(60, TimeUnit.SECONDS)
                .until(() -> contents(node.cluster()).size() == 1);
        ServerNode other = cluster(1, Map.of()).get(0);

        CommandLineRun restored = run(other, "restore", "--in", path("s"));

        assertThat(restored.out()).contains("1 entry in ").contains("left out 1");
        assertThat(contents(other.cluster())).containsOnlyKeys(Key.of("stays"));
    }

    private ServerNode agreed(String name) throws Exception {
        int port = FreePorts.find();
        ServerNode node = ServerNode.start(ServerConfig.of(Map.of(
                Setting.ID,
                name,
                Setting.LISTEN,
                "127.0.0.1:" + port,
                Setting.DATA,
                temporary.resolve(name).toString(),
                Setting.BOOTSTRAP,
                name + "=127.0.0.1:" + port)));
        running.add(node);
        return node;
    }

    private static AtomicMap.Sync<String, String> orders(ServerNode node) {
        return node.cluster().atomicMap("orders", Codec.text(), Codec.text()).sync();
    }

    @Test
    void atomicKeysAreRestored() throws Exception {
        ServerNode node = agreed("n1");
        AtomicMap<String, String> map = node.cluster().atomicMap("orders", Codec.text(), Codec.text());
        map.sync().put("stays", "=+");
        map.with(CallOptions.defaults().withTimeToLive(Duration.ofHours(1)))
                .sync()
                .put("expires", "v");
        map.sync().put("gone", "v");
        map.sync().remove("gone");
        node.cluster().atomicCounter("orders", Key.of("count")).sync().add(-7);
        put(node, "plain", "v", CallOptions.defaults());
        put(node, "\0", "before", CallOptions.defaults());
        CommandLineRun taken = run(node, "snapshot", "--out", path("s"));
        assertThat(taken.out()).contains(": 5 entries");

        ServerNode other = agreed("m1");
        CommandLineRun restored = run(other, "restore", "--in", path("s"));

        assertThat(restored.out()).as(restored.err()).contains("5 entries in ");
        assertThat(orders(other).get("stays").map(Versioned::value)).contains("=+");
        assertThat(orders(other).get("expires").orElseThrow().expiresAt()).isPresent();
        assertThat(orders(other).get("gone")).isEmpty();
        assertThat(other.cluster()
                        .atomicCounter("orders", Key.of("count"))
                        .sync()
                        .get())
                .isEqualTo(-7);
        assertThat(contents(other.cluster())).containsOnlyKeys(Key.of("\0"), Key.of("plain"));

        other.cluster().atomicCounter("orders", Key.of("count")).sync().add(100);
        assertThat(run(other, "restore", "--in", path("s")).err()).contains("the cluster has entries already");
        succeeds(run(other, "restore", "--merge", "--in", path("s")));
        assertThat(other.cluster()
                        .atomicCounter("orders", Key.of("count"))
                        .sync()
                        .get())
                .isEqualTo(-7);
    }

    @Test
    void atomicKeysAloneAreEntries() throws Exception {
        ServerNode node = agreed("n1");
        orders(node).put("k", "v");
        succeeds(run(node, "snapshot", "--out", path("s")));
        assertThat(run(node, "restore", "--in", path("s")).err()).contains("the cluster has entries already");
        ServerNode fixed = cluster(1, Map.of()).get(0);
        assertThat(run(fixed, "restore", "--in", path("s")).err())
                .contains("atomic operations need a cluster that agrees on its nodes");
    }

    @Test
    void aSnapshotThatFailsLeavesNoDirectory() throws Exception {
        CommandLineRun unreachable = CommandLineRun.of("snapshot", "--out", path("s"), "--node", "http://127.0.0.1:1");
        assertThat(unreachable.exitCode()).isEqualTo(1);
        assertThat(unreachable.err()).hasLineCount(1);

        ServerNode node = cluster(1, Map.of()).get(0);
        CommandLineRun refused = run(node, "snapshot", "--out", path("s"), "--ack", "2", "--from", "2");
        assertThat(refused.err()).contains("POLICY_INVALID").hasLineCount(1);
        CommandLineRun nowhere = run(node, "snapshot", "--out", path("none/s"));
        assertThat(nowhere.err())
                .contains("there is no directory " + path("none"))
                .hasLineCount(1);
        assertThat(temporary).isEmptyDirectory();

        CommandLineRun taken = run(node, "snapshot", "--out", temporary.toString());
        assertThat(taken.err()).contains("is there already").hasLineCount(1);
        assertThat(run(node, "restore", "--in", path("none")).err())
                .contains("there is no directory " + path("none"))
                .hasLineCount(1);
        assertThat(run(node, "restore", "--in", temporary.toString()).err())
                .contains("manifest.json is missing")
                .hasLineCount(1);
    }

    @Test
    void snapshotUsesTheNextNodeWhenOneStops() throws Exception {
        List<ServerNode> nodes = cluster(3, Map.of());
        for (int i = 0; i < 300; i++) {
            put(nodes.get(0), "key" + i, "v", CallOptions.defaults());
        }
        nodes.get(0).close();
        CommandLineRun taken = CommandLineRun.of(
                "snapshot",
                "--out",
                path("s"),
                "--node",
                nodes.get(0).url() + "," + nodes.get(1).url());
        succeeds(taken);
        assertThat(taken.out()).contains("300 entries");
    }
}
