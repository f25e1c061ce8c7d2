package io.dht4j.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyPlacement;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Node;
import io.dht4j.NodeStatus;
import io.dht4j.RepairStatus;
import io.dht4j.ScanScope;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.spi.RemoteApi;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What every {@link RemoteApi} must do, over its real server, in front of a cluster of three nodes in this process. Nothing
 * here measures time: deadlines are generous where an answer is expected and short where none is.
 */
public abstract class RemoteApiContract {

    /** How long a test waits for what must happen. */
    protected static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final CallOptions OPTIONS = CallOptions.defaults().withTimeout(PATIENCE);
    private static final CallOptions BRIEF = CallOptions.defaults().withTimeout(Duration.ofMillis(500));
    private static final CallOptions EVERYWHERE = OPTIONS.withPolicy(3, 3);
    private static final int MAX_VALUE_BYTES = 16 << 20;
    private static final int MAX_BATCH = 500;
    private static final Key KEY = Key.of("key");

    private final List<Cluster> clusters = new ArrayList<>();
    private final List<Server> servers = new ArrayList<>();
    private final SystemEnvironment environment = SystemEnvironment.create("remote-contract");
    private RemoteApi api;

    /** For subclasses. */
    @SuppressWarnings("NullAway.Init") // set before each test
    protected RemoteApiContract() {}

    /** A listener of the API. */
    protected interface Server extends AutoCloseable {

        /**
         * Where it listens.
         *
         * @return {@code host:port}
         */
        String address();

        /** Stops listening and, within seconds, drops what is under way. May be called repeatedly. */
        @Override
        void close();
    }

    /**
     * Serves a cluster through the API on a free port of this machine, with the default options but for that: values up to
     * 16 MiB, no tokens, no TLS.
     *
     * @param cluster whose calls to serve; the contract closes it
     * @return a listener that accepts connections, which the contract closes
     * @throws Exception if it cannot listen
     */
    protected abstract Server serve(Cluster cluster) throws Exception;

    /**
     * Makes a client with the default options.
     *
     * @return a new client, which the contract closes
     */
    protected abstract RemoteApi newApi();

    @BeforeEach
    final void startCluster() throws Exception {
        Topology topology = Topology.of(Node.of("n0", "h0"), Node.of("n1", "h1"), Node.of("n2", "h2"));
        LoopbackNetwork network = LoopbackNetwork.on(environment);
        for (Node node : topology.nodes()) {
            Cluster cluster = ClusterBuilder.of(node.id(), topology)
                    .transport(network.transport(node.address()))
                    .store(new ModelStore())
                    .environment(environment)
                    .timeout(PATIENCE)
                    .maxValueBytes(MAX_VALUE_BYTES)
                    .maxBatch(MAX_BATCH)
                    .drainTimeout(Duration.ZERO)
                    .start();
            clusters.add(cluster);
            served(cluster);
        }
        api = newApi();
    }

    @AfterEach
    final void closeAll() {
        api.close();
        servers.forEach(Server::close);
        clusters.forEach(Cluster::close);
        environment.close();
    }

    private Server served(Cluster cluster) throws Exception {
        Server server = serve(cluster);
        servers.add(server);
        return server;
    }

    private String address(int node) {
        return servers.get(node).address();
    }

    // Single keys

    @Test
    void what_was_put_through_one_node_is_got_through_another() {
        Version version = result(api.put(address(0), KEY, bytes("value"), OPTIONS));
        Value value = result(api.get(address(1), KEY, OPTIONS)).orElseThrow();
        assertThat(value.text()).isEqualTo("value");
        assertThat(value.version()).isEqualTo(version);
        assertThat(value.expiresAtMillis()).isEmpty();
    }

    @Test
    void a_key_that_is_missing_reads_as_empty() {
        assertThat(result(api.get(address(0), Key.of("nobody wrote this"), OPTIONS)))
                .isEmpty();
    }

    @Test
    void a_deleted_key_reads_as_empty_and_the_delete_has_a_newer_version() {
        Version put = result(api.put(address(0), KEY, bytes("value"), EVERYWHERE));
        Version delete = result(api.delete(address(1), KEY, EVERYWHERE));
        assertThat(delete).isGreaterThan(put);
        assertThat(result(api.get(address(2), KEY, OPTIONS))).isEmpty();
    }

    @Test
    void keys_of_any_bytes_are_kept_apart() {
        List<Key> keys = awkwardKeys();
        for (int i = 0; i < keys.size(); i++) {
            result(api.put(address(i % 3), keys.get(i), bytes("value " + i), EVERYWHERE));
        }
        for (int i = 0; i < keys.size(); i++) {
            Optional<Value> direct = result(clusters.get(0).get(keys.get(i)));
            assertThat(direct.map(Value::text)).as("key %s", keys.get(i)).contains("value " + i);
            assertThat(result(api.get(address(0), keys.get(i), OPTIONS))).isEqualTo(direct);
        }
    }

    @Test
    void values_of_any_bytes_and_size_come_back_as_they_were() {
        for (int size : new int[] {0, 1, 100, 4_096, 4_097, 65_536, 1 << 20, MAX_VALUE_BYTES}) {
            byte[] value = new byte[size];
            new SplittableRandom(size).nextBytes(value);
            Key key = Key.of("value of " + size);
            result(api.put(address(0), key, value, OPTIONS));
            byte[] read =
                    result(api.get(address(1), key, OPTIONS)).orElseThrow().bytes();
            assertThat(Arrays.equals(read, value)).as("%d bytes", size).isTrue();
        }
    }

    @Test
    void a_time_to_live_reaches_the_store() {
        CallOptions options = EVERYWHERE.withTimeToLive(Duration.ofHours(1));
        result(api.put(address(0), KEY, bytes("value"), options));
        Value value = result(api.get(address(1), KEY, OPTIONS)).orElseThrow();
        assertThat(value.expiresAtMillis()).isPresent();
        assertThat(result(clusters.get(2).get(KEY))).contains(value);

        result(api.putAll(address(0), Map.of(KEY, bytes("other")), options));
        Value other = result(api.getAll(address(1), List.of(KEY), OPTIONS)).get(KEY);
        assertThat(Optional.ofNullable(other)).isEqualTo(result(clusters.get(2).get(KEY)));
        assertThat(result(api.get(address(2), KEY, OPTIONS)).orElseThrow().expiresAtMillis())
                .isPresent();
    }

    @Test
    void the_policy_reaches_the_coordinator() {
        for (int from = 1; from <= 3; from++) {
            Key key = Key.of("from " + from);
            result(api.put(address(0), key, bytes("value"), OPTIONS.withPolicy(from, from)));
            int holders = 0;
            for (int node = 0; node < 3; node++) {
                holders += result(api.scan(address(node), KeyRange.from(key), ScanScope.NODE, 1, OPTIONS)).stream()
                        .filter(entry -> entry.key().equals(key))
                        .toList()
                        .size();
            }
            assertThat(holders)
                    .as("nodes that hold a key written %d/%d", from, from)
                    .isEqualTo(from);
        }
    }

    @Test
    void many_calls_at_a_time_each_get_their_own_answer() {
        List<CompletionStage<Version>> puts = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            puts.add(api.put(address(i % 3), Key.of("many " + i), bytes("value " + i), EVERYWHERE));
        }
        puts.forEach(RemoteApiContract::result);
        List<CompletionStage<Optional<Value>>> gets = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            gets.add(api.get(address(i % 3), Key.of("many " + i), OPTIONS));
        }
        for (int i = 0; i < gets.size(); i++) {
            assertThat(result(gets.get(i)).map(Value::text)).contains("value " + i);
        }
    }

    // Several keys

    @Test
    void several_keys_are_written_with_one_version_and_read_at_a_time() {
        Map<Key, byte[]> values = new LinkedHashMap<>();
        for (Key key : awkwardKeys()) {
            values.put(key, bytes("of " + key.length() + " " + key.hashCode()));
        }
        Version version = result(api.putAll(address(0), values, EVERYWHERE));
        List<Key> asked = new ArrayList<>(values.keySet());
        asked.add(Key.of("nobody wrote this"));
        Map<Key, Value> read = result(api.getAll(address(1), asked, OPTIONS));
        assertThat(read.keySet()).containsExactlyInAnyOrderElementsOf(values.keySet());
        read.forEach((key, value) -> {
            assertThat(value.version()).isEqualTo(version);
            assertThat(value.bytes()).isEqualTo(values.get(key));
        });
    }

    @Test
    void batches_may_hold_empty_values_and_large_ones() {
        byte[] large = new byte[3 << 20];
        new SplittableRandom(3).nextBytes(large);
        Map<Key, byte[]> values = Map.of(Key.of("empty"), new byte[0], Key.of("large"), large);
        result(api.putAll(address(0), values, EVERYWHERE));
        Map<Key, Value> read = result(api.getAll(address(1), values.keySet(), OPTIONS));
        assertThat(read).hasSize(2);
        read.forEach((key, value) -> assertThat(Arrays.equals(value.bytes(), values.get(key)))
                .as(key.toString())
                .isTrue());
    }

    @Test
    void a_batch_without_keys_reads_nothing() {
        assertThat(result(api.getAll(address(0), List.of(), OPTIONS))).isEmpty();
    }

    // Scans

    @Test
    void scans_show_ranges_in_order_up_to_their_limit() {
        List<Key> keys = awkwardKeys();
        keys.forEach(key -> result(api.put(address(0), key, bytes("of " + key.length()), EVERYWHERE)));
        List<Key> sorted = new ArrayList<>(keys);
        Collections.sort(sorted);

        List<KeyValue> all = result(api.scan(address(1), KeyRange.all(), ScanScope.CLUSTER, 1_000, OPTIONS));
        assertThat(all).extracting(KeyValue::key).containsExactlyElementsOf(sorted);
        all.forEach(entry -> assertThat(Optional.of(entry.value()))
                .isEqualTo(result(clusters.get(0).get(entry.key()))));

        KeyRange middle = KeyRange.between(sorted.get(2), sorted.get(5));
        assertThat(result(api.scan(address(2), middle, ScanScope.CLUSTER, 1_000, OPTIONS)))
                .extracting(KeyValue::key)
                .containsExactlyElementsOf(sorted.subList(2, 5));
        assertThat(result(api.scan(address(2), KeyRange.all(), ScanScope.CLUSTER, 3, OPTIONS)))
                .extracting(KeyValue::key)
                .containsExactlyElementsOf(sorted.subList(0, 3));
        assertThat(result(api.scan(address(0), KeyRange.from(last(sorted)), ScanScope.CLUSTER, 1, OPTIONS)))
                .extracting(KeyValue::key)
                .containsExactly(last(sorted));
        Key beyond = last(sorted).successor().orElseThrow();
        assertThat(result(api.scan(address(0), KeyRange.from(beyond), ScanScope.CLUSTER, 1, OPTIONS)))
                .isEmpty();
        KeyRange none = KeyRange.between(sorted.get(5), sorted.get(2));
        assertThat(result(api.scan(address(0), none, ScanScope.CLUSTER, 10, OPTIONS)))
                .isEmpty();
    }

    @Test
    void a_range_is_walked_by_going_on_behind_the_last_key() {
        Map<Key, byte[]> values = new LinkedHashMap<>();
        for (int i = 0; i < MAX_BATCH; i++) {
            values.put(Key.of("walk %04d".formatted(i)), new byte[i]);
        }
        result(api.putAll(address(0), values, EVERYWHERE));
        for (int limit : new int[] {1, 7, 499, 500, 10_000}) {
            List<Key> walked = new ArrayList<>();
            Optional<Key> from = limit == 1 ? Optional.of(Key.of("walk 0490")) : Optional.of(Key.of("walk"));
            while (from.isPresent()) {
                List<KeyValue> page =
                        result(api.scan(address(1), KeyRange.from(from.get()), ScanScope.CLUSTER, limit, OPTIONS));
                assertThat(page.size()).isLessThanOrEqualTo(limit);
                page.forEach(entry -> {
                    assertThat(entry.value().bytes()).isEqualTo(values.get(entry.key()));
                    walked.add(entry.key());
                });
                from = page.isEmpty() ? Optional.empty() : last(page).key().successor();
            }
            assertThat(walked)
                    .as("limit %d", limit)
                    .containsExactlyElementsOf(List.copyOf(values.keySet()).subList(limit == 1 ? 490 : 0, MAX_BATCH));
        }
    }

    @Test
    void a_scan_of_large_values_shows_them_whole() {
        Map<Key, byte[]> values = new LinkedHashMap<>();
        for (int i = 0; i < 5; i++) {
            byte[] value = new byte[1 << 20];
            new SplittableRandom(i).nextBytes(value);
            values.put(Key.of("large " + i), value);
            result(api.put(address(0), Key.of("large " + i), value, EVERYWHERE));
        }
        Optional<Key> from = Optional.of(Key.of("large"));
        int shown = 0;
        while (from.isPresent()) {
            List<KeyValue> page =
                    result(api.scan(address(1), KeyRange.from(from.get()), ScanScope.CLUSTER, 100, OPTIONS));
            for (KeyValue entry : page) {
                assertThat(Arrays.equals(entry.value().bytes(), values.get(entry.key())))
                        .as(entry.key().toString())
                        .isTrue();
                shown++;
            }
            from = page.isEmpty() ? Optional.empty() : last(page).key().successor();
        }
        assertThat(shown).isEqualTo(5);
    }

    @Test
    void a_nodes_own_entries_are_shown_when_they_are_asked_for() {
        result(api.put(address(0), KEY, bytes("value"), OPTIONS.withPolicy(1, 1)));
        List<Node> replicas = result(clusters.get(0).locate(KEY)).replicas();
        for (int node = 0; node < 3; node++) {
            List<KeyValue> own = result(api.scan(address(node), KeyRange.all(), ScanScope.NODE, 10, OPTIONS));
            boolean holds = replicas.get(0).id().value().equals("n" + node);
            assertThat(own).as("entries of n%d", node).hasSize(holds ? 1 : 0);
        }
    }

    // What a cluster says of itself

    @Test
    void a_key_is_located_where_the_cluster_places_it() {
        for (Key key : awkwardKeys()) {
            KeyPlacement placement = result(clusters.get(0).locate(key));
            RemoteApi.Located located = result(api.locate(address(1), key, OPTIONS));
            assertThat(located.partition()).isEqualTo(placement.partition());
            assertThat(located.replicas())
                    .containsExactlyElementsOf(
                            placement.replicas().stream().map(Node::id).toList());
        }
    }

    @Test
    void a_nodes_status_is_its_own() {
        result(api.put(address(0), KEY, bytes("value"), EVERYWHERE));
        for (int node = 0; node < 3; node++) {
            NodeStatus status = result(api.status(address(node), OPTIONS));
            NodeStatus direct = result(clusters.get(node).status());
            assertThat(status.uptime()).isBetween(Duration.ZERO, direct.uptime().plusMillis(1));
            assertThat(new NodeStatus(
                            status.id(),
                            status.topology(),
                            status.replicationFactor(),
                            status.partitions(),
                            status.placement(),
                            status.hash(),
                            status.transport(),
                            status.store(),
                            status.version(),
                            status.entries(),
                            status.hintBytes(),
                            status.hintBytesDropped(),
                            status.overload(),
                            status.storeProblems(),
                            status.refill(),
                            direct.uptime()))
                    .isEqualTo(direct);
        }
    }

    @Test
    void a_repair_is_begun_and_comes_to_its_end() {
        RepairStatus before = result(api.repairStatus(address(1), OPTIONS));
        assertThat(before.node())
                .isEqualTo(result(api.status(address(1), OPTIONS)).id());

        int partition = result(api.locate(address(1), KEY, OPTIONS)).partition();
        assertThat(result(api.repair(address(1), Set.of(partition), OPTIONS)).rounds())
                .isEqualTo(before.rounds());
        await().atMost(PATIENCE)
                .until(() -> result(api.repairStatus(address(1), OPTIONS)).rounds() > before.rounds());

        RepairStatus after = result(api.repairStatus(address(1), OPTIONS));
        assertThat(after.lastError()).isEmpty();
        assertThat(after.completed()).containsOnlyKeys(partition);
        assertThat(after).isEqualTo(result(clusters.get(1).repairStatus()));
        assertThat(failure(api.repair(address(1), Set.of(1 << 19), OPTIONS)).code())
                .isEqualTo(ErrorCode.BAD_REQUEST);
    }

    // Errors

    @Test
    void what_the_cluster_refuses_is_refused_with_its_code() {
        assertThat(failure(api.get(address(0), KEY, OPTIONS.withPolicy(5, 9))).code())
                .isEqualTo(ErrorCode.POLICY_INVALID);
        assertThat(failure(api.put(address(0), KEY, bytes("value"), OPTIONS.withPolicy(5, 9)))
                        .code())
                .isEqualTo(ErrorCode.POLICY_INVALID);
        assertThat(failure(api.scan(address(0), KeyRange.all(), ScanScope.CLUSTER, 10, OPTIONS.withPolicy(5, 9)))
                        .code())
                .isEqualTo(ErrorCode.POLICY_INVALID);
        assertThat(failure(api.put(address(0), KEY, new byte[MAX_VALUE_BYTES + 1], OPTIONS))
                        .code())
                .isEqualTo(ErrorCode.VALUE_TOO_LARGE);
        Map<Key, byte[]> values = new LinkedHashMap<>();
        for (int i = 0; i <= MAX_BATCH; i++) {
            values.put(Key.of("key " + i), new byte[1]);
        }
        assertThat(failure(api.putAll(address(0), values, OPTIONS)).code()).isEqualTo(ErrorCode.BATCH_TOO_LARGE);
        assertThat(failure(api.getAll(address(0), values.keySet(), OPTIONS)).code())
                .isEqualTo(ErrorCode.BATCH_TOO_LARGE);
        assertThat(result(api.scan(address(0), KeyRange.all(), ScanScope.CLUSTER, 10, OPTIONS)))
                .as("nothing was written")
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void every_error_arrives_with_its_code_and_its_message(ErrorCode code) throws Exception {
        DhtException original = DhtException.of(code, "why it failed: 42");
        String address = served(OneAnswerCluster.failing(original)).address();
        calls(address, OPTIONS).forEach((method, call) -> {
            DhtException arrived = failure(call);
            assertThat(arrived.code()).as(method).isEqualTo(code);
            assertThat(arrived).as(method).isInstanceOf(original.getClass()).hasMessageContaining("why it failed: 42");
        });
    }

    @Test
    void a_node_that_is_not_there_was_sent_nothing() throws IOException {
        String address = nobodysAddress();
        calls(address, OPTIONS).forEach((method, call) -> {
            DhtException error = failure(call);
            assertThat(error.code()).as(method).isEqualTo(ErrorCode.NOT_SENT);
            assertThat(error).as(method).hasMessageContaining(address);
        });
        assertThat(result(api.status(address(0), OPTIONS)).id().value()).isEqualTo("n0");
    }

    @Test
    void a_node_that_has_gone_fails_and_leaves_the_others_usable() {
        result(api.put(address(0), KEY, bytes("value"), EVERYWHERE));
        result(api.get(address(1), KEY, OPTIONS));
        servers.get(1).close();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(
                                failure(api.get(address(1), KEY, OPTIONS)).code())
                        .isEqualTo(ErrorCode.NOT_SENT));
        assertThat(result(api.get(address(0), KEY, OPTIONS)).map(Value::text)).contains("value");
    }

    @Test
    void a_node_that_hangs_leaves_the_outcome_unknown_at_the_deadline() throws Exception {
        OneAnswerCluster silent = OneAnswerCluster.silent();
        String address = served(silent).address();
        Map<String, CompletionStage<?>> calls = calls(address, BRIEF);
        await().atMost(PATIENCE).until(() -> silent.calls() == calls.size());
        calls.forEach(
                (method, call) -> assertThat(failure(call).code()).as(method).isEqualTo(ErrorCode.INTERNAL));
    }

    @Test
    void a_machine_that_accepts_and_says_nothing_costs_the_deadline_and_no_more() throws IOException {
        try (SilentListener listener = new SilentListener()) {
            calls(listener.address(), BRIEF)
                    .forEach((method, call) ->
                            assertThat(failure(call).code()).as(method).isIn(ErrorCode.INTERNAL, ErrorCode.NOT_SENT));
        }
    }

    @Test
    void an_address_that_is_none_is_refused_and_named() {
        for (String address : List.of("", "no port", "127.0.0.1:", "127.0.0.1:99999", ":1")) {
            calls(address, BRIEF).forEach((method, call) -> {
                DhtException error = failure(call);
                assertThat(error.code().action())
                        .as("%s at \"%s\"", method, address)
                        .isIn(ErrorCode.Action.FIX_REQUEST, ErrorCode.Action.RETRY_ANYWHERE);
                assertThat(error).hasMessageContaining(address);
            });
        }
    }

    // Closing

    @Test
    void closing_ends_the_calls_under_way() throws Exception {
        OneAnswerCluster silent = OneAnswerCluster.silent();
        String address = served(silent).address();
        Map<String, CompletionStage<?>> calls = calls(address, OPTIONS);
        await().atMost(PATIENCE).until(() -> silent.calls() == calls.size());
        api.close();
        calls.forEach(
                (method, call) -> assertThat(failure(call).code()).as(method).isEqualTo(ErrorCode.INTERNAL));
    }

    @Test
    void a_closed_client_refuses_calls_and_may_be_closed_again() {
        api.close();
        api.close();
        calls(address(0), OPTIONS)
                .forEach((method, call) -> assertThat(failure(call).code().action())
                        .as(method)
                        .isEqualTo(ErrorCode.Action.RETRY_ANYWHERE));
    }

    @Test
    void two_clients_live_side_by_side() {
        RemoteApi other = newApi();
        result(api.put(address(0), KEY, bytes("value"), EVERYWHERE));
        other.close();
        assertThat(result(api.get(address(0), KEY, OPTIONS)).map(Value::text)).contains("value");
    }

    /** One call of every method. */
    private Map<String, CompletionStage<?>> calls(String address, CallOptions options) {
        Map<String, CompletionStage<?>> calls = new LinkedHashMap<>();
        calls.put("get", api.get(address, KEY, options));
        calls.put("put", api.put(address, KEY, bytes("value"), options));
        calls.put("delete", api.delete(address, KEY, options));
        calls.put("getAll", api.getAll(address, List.of(KEY, Key.of("other")), options));
        calls.put("putAll", api.putAll(address, Map.of(KEY, bytes("value")), options));
        calls.put("scan", api.scan(address, KeyRange.all(), ScanScope.CLUSTER, 10, options));
        calls.put("locate", api.locate(address, KEY, options));
        calls.put("status", api.status(address, options));
        return calls;
    }

    /** Keys that are awkward in paths, texts and JSON. */
    private static List<Key> awkwardKeys() {
        return List.of(
                Key.of(new byte[] {0}),
                Key.of(new byte[] {(byte) 0xFF}),
                Key.of(new byte[] {(byte) 0xC3, 0x28}),
                Key.of("a/b/../c?d=e&f#g;h=i"),
                Key.of("%2F%00+ \t\r\n\"\\"),
                Key.of("."),
                Key.of(".."),
                Key.of("grün 東京 🙂"),
                Key.of("k".repeat(Key.MAX_LENGTH)),
                Key.of(new byte[Key.MAX_LENGTH]));
    }

    // Snapshots

    @Test
    void a_snapshot_is_begun_through_one_node_and_read_through_another_as_it_was() {
        Map<Key, byte[]> values = new LinkedHashMap<>();
        for (int i = 0; i < 300; i++) {
            values.put(Key.of("snap%03d".formatted(i)), bytes("before " + i));
        }
        Version written = result(api.putAll(address(0), values, EVERYWHERE));
        Version snapshot = result(api.openSnapshot(address(0), Duration.ofMinutes(1), OPTIONS));
        assertThat(snapshot).isGreaterThan(written);
        values.replaceAll((key, value) -> bytes("after"));
        result(api.putAll(address(1), values, EVERYWHERE));
        result(api.put(address(1), Key.of("snap"), bytes("new"), EVERYWHERE));

        List<KeyValue> shown = result(api.scanSnapshot(address(2), snapshot, KeyRange.all(), 1000, OPTIONS));

        assertThat(shown).hasSize(300);
        for (int i = 0; i < 300; i++) {
            assertThat(shown.get(i).key()).isEqualTo(Key.of("snap%03d".formatted(i)));
            assertThat(shown.get(i).value().text()).isEqualTo("before " + i);
            assertThat(shown.get(i).value().version()).isEqualTo(written);
        }
        KeyRange two = KeyRange.between(Key.of("snap010"), Key.of("snap012"));
        assertThat(result(api.scanSnapshot(address(0), snapshot, two, 1000, OPTIONS)))
                .isEqualTo(shown.subList(10, 12));
        assertThat(result(api.scanSnapshot(address(0), snapshot, KeyRange.all(), 7, OPTIONS)))
                .isEqualTo(shown.subList(0, 7));
        result(api.closeSnapshot(address(1), snapshot, OPTIONS));
        for (int node = 0; node < 3; node++) {
            assertThat(failure(api.scanSnapshot(address(node), snapshot, KeyRange.all(), 10, OPTIONS))
                            .code())
                    .isEqualTo(ErrorCode.SNAPSHOT_GONE);
        }
        assertThat(failure(api.openSnapshot(address(0), Duration.ofMillis(1), OPTIONS))
                        .code())
                .isEqualTo(ErrorCode.BAD_REQUEST);
    }

    private static <T> T last(List<T> list) {
        return list.get(list.size() - 1);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static <T> T result(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("expected a result", DhtException.unwrap(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static DhtException failure(CompletionStage<?> stage) {
        try {
            Object result = stage.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            throw new AssertionError("expected a failure, not " + result);
        } catch (ExecutionException e) {
            assertThat(DhtException.unwrap(e)).isInstanceOf(DhtException.class);
            return (DhtException) DhtException.unwrap(e);
        } catch (TimeoutException e) {
            throw new AssertionError("the call hangs", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** An address of this machine at which nobody listens. */
    private static String nobodysAddress() {
        return "127.0.0.1:" + FreePorts.find();
    }

    /** Accepts connections, reads what comes and answers nothing. */
    private static final class SilentListener implements AutoCloseable {

        private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final List<Socket> accepted = Collections.synchronizedList(new ArrayList<>());

        SilentListener() throws IOException {
            Thread acceptor = new Thread(this::accept, "silent-listener");
            acceptor.setDaemon(true);
            acceptor.start();
        }

        String address() {
            return "127.0.0.1:" + socket.getLocalPort();
        }

        private void accept() {
            while (!socket.isClosed()) {
                try {
                    Socket connection = socket.accept();
                    accepted.add(connection);
                    CompletableFuture.runAsync(() -> swallow(connection), task -> {
                        Thread reader = new Thread(task, "silent-listener");
                        reader.setDaemon(true);
                        reader.start();
                    });
                } catch (IOException e) {
                    if (!socket.isClosed()) {
                        throw new UncheckedIOException(e);
                    }
                }
            }
        }

        private static void swallow(Socket connection) {
            try {
                connection.getInputStream().transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
                // the client hung up
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
            for (Socket connection : List.copyOf(accepted)) {
                connection.close();
            }
        }
    }
}
