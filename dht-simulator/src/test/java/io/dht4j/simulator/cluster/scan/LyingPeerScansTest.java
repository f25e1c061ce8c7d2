package io.dht4j.simulator.cluster.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Version;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.ForwardingTransport;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Scans end, and show what is there, whatever a replica answers. */
class LyingPeerScansTest {

    private static final int ENTRIES = 4000;
    private static final CallOptions ONE_OF_THREE = CallOptions.defaults().withPolicy(1, 3);
    private static final CallOptions TWO_OF_THREE = CallOptions.defaults().withPolicy(2, 3);
    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);

    /** What a replica makes of an honest page. */
    enum Lie {
        /** Always the same place to go on at, and nothing there. */
        EMPTY_FOREVER((asked, page) ->
                new Reply.Page(List.of(), Optional.of(asked.range().start()))),
        /** There may always be more, a little further on. */
        EMPTY_STEPS(
                (asked, page) -> new Reply.Page(List.of(), asked.range().start().successor())),
        BACKWARDS((asked, page) -> new Reply.Page(page.entries(), Optional.of(Key.of(new byte[1])))),
        WITHIN_THE_PAGE((asked, page) -> new Reply.Page(
                page.entries(), page.entries().stream().findFirst().map(Entry::key))),
        BEHIND_THE_END((asked, page) -> new Reply.Page(page.entries(), Optional.of(Key.of("zzz")))),
        OUT_OF_ORDER((asked, page) -> {
            List<Entry> reversed = new ArrayList<>(page.entries());
            Collections.reverse(reversed);
            return new Reply.Page(reversed, page.resume());
        }),
        TWICE((asked, page) -> {
            List<Entry> twice = new ArrayList<>(
                    page.entries().subList(0, Math.min(1, page.entries().size())));
            twice.addAll(page.entries().subList(0, Math.min(999, page.entries().size())));
            return new Reply.Page(twice, page.resume());
        }),
        BEFORE_THE_START((asked, page) -> with(page, true, "a")),
        BEHIND_THE_RANGE((asked, page) -> with(page, false, "zzz")),
        MORE_THAN_ASKED_FOR((asked, page) -> {
            List<Entry> more = new ArrayList<>();
            Key key = asked.range().start();
            for (int i = 0; i <= asked.maxEntries(); i++) {
                more.add(entry(key));
                key = key.successor().orElseThrow();
            }
            return new Reply.Page(more, Optional.empty());
        });

        private final BiFunction<Request.ScanPage, Reply.Page, Reply.Page> pages;

        Lie(BiFunction<Request.ScanPage, Reply.Page, Reply.Page> pages) {
            this.pages = pages;
        }

        private static Reply.Page with(Reply.Page page, boolean first, String key) {
            List<Entry> entries =
                    new ArrayList<>(page.entries().stream().limit(900).toList());
            entries.add(first ? 0 : entries.size(), entry(Key.of(key)));
            return new Reply.Page(entries, Optional.empty());
        }

        private static Entry entry(Key key) {
            return Entry.value(key, new Version(1), new byte[1], Entry.NEVER);
        }
    }

    @ParameterizedTest
    @EnumSource(Lie.class)
    void aScanThatCanDoWithoutTheLiarShowsEverything(Lie lie) {
        AtomicInteger lies = new AtomicInteger();
        try (SimulatedCluster cluster = cluster(lie, lies)) {
            TreeMap<Key, byte[]> entries = fill(cluster);
            KeyRange range = KeyRange.between(Key.of("k"), Key.of("l"));
            // Each node in turn: the first prefers itself and the liar, for some partitions.
            for (int i = 0; i < 2; i++) {
                List<Key> shown = new ArrayList<>();
                Optional<DhtException> failure =
                        drain(cluster, cluster.node(i).scan(range, ScanScope.CLUSTER, TWO_OF_THREE), shown);
                if (failure.isEmpty()) {
                    assertThat(shown).containsExactlyElementsOf(entries.keySet());
                } else {
                    assertThat(lie).isEqualTo(Lie.EMPTY_STEPS);
                    assertThat(failure.get().code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
                }
            }
            assertThat(lies).hasPositiveValue();
        }
    }

    @ParameterizedTest
    @EnumSource(Lie.class)
    void aScanThatNeedsTheLiarFails(Lie lie) {
        AtomicInteger lies = new AtomicInteger();
        try (SimulatedCluster cluster = cluster(lie, lies)) {
            fill(cluster);
            List<Key> shown = new ArrayList<>();
            KeyRange range = KeyRange.between(Key.of("k"), Key.of("l"));
            assertThat(drain(cluster, cluster.node(0).scan(range, ScanScope.CLUSTER, ALL), shown)
                            .map(DhtException::code))
                    .hasValue(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(lies).hasPositiveValue();
            assertThat(shown).isSorted().doesNotHaveDuplicates();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Lie.class,
            names = {"EMPTY_FOREVER", "BACKWARDS", "OUT_OF_ORDER"})
    void theLiarShowsItsOwnEntriesAsTheyAre(Lie lie) {
        try (SimulatedCluster cluster = cluster(lie, new AtomicInteger())) {
            TreeMap<Key, byte[]> entries = fill(cluster);
            List<Key> shown = new ArrayList<>();
            assertThat(drain(cluster, cluster.node(2).scan(KeyRange.all(), ScanScope.CLUSTER, ONE_OF_THREE), shown))
                    .isEmpty();
            assertThat(shown).containsExactlyElementsOf(entries.keySet());
        }
    }

    private static SimulatedCluster cluster(Lie lie, AtomicInteger lies) {
        VirtualEnvironment env = VirtualEnvironment.seeded(1);
        LoopbackNetwork network = LoopbackNetwork.on(env);
        return SimulatedCluster.of(1, 3)
                .on(env, network, "")
                .options((i, builder) ->
                        i == 2 ? builder.transport(new Lying(network.transport("host2:1"), env, lie, lies)) : builder)
                .start();
    }

    /** Answers the frames of others with lies, a little later than it could. */
    private static final class Lying extends ForwardingTransport {

        private static final NodeIds NAMES =
                new NodeIds(List.of(SimulatedCluster.id(0), SimulatedCluster.id(1), SimulatedCluster.id(2)));

        private final VirtualEnvironment env;
        private final Lie lie;
        private final AtomicInteger lies;

        Lying(Transport honest, VirtualEnvironment env, Lie lie, AtomicInteger lies) {
            super(honest);
            this.env = env;
            this.lie = lie;
            this.lies = lies;
        }

        @Override
        public CompletionStage<Void> start(FrameHandler handler) {
            return super.start((bytes, context) -> {
                CompletableFuture<byte[]> answer = new CompletableFuture<>();
                handler.handle(bytes, context)
                        .thenAccept(reply -> env.schedule(
                                () -> answer.complete(spoiled(bytes, reply)),
                                Duration.ofMillis(1).toNanos()));
                return answer;
            });
        }

        private byte[] spoiled(byte[] request, byte[] reply) {
            try {
                if (FrameCodec.decodeRequest(request, NAMES).message() instanceof Request.ScanPage scan) {
                    FrameCodec.Decoded<Reply> decoded = FrameCodec.decodeReply(reply, scan, NAMES);
                    Reply.Page page = lie.pages.apply(scan, (Reply.Page) decoded.message());
                    lies.addAndGet(page.equals(decoded.message()) ? 0 : 1);
                    return FrameCodec.encode(decoded.header(), page);
                }
                return reply;
            } catch (FrameException e) {
                throw new AssertionError("frames of honest nodes can be read", e);
            }
        }
    }

    private static Optional<DhtException> drain(SimulatedCluster cluster, Scan scan, List<Key> shown) {
        try {
            cluster.await(scan.forEach(entry -> shown.add(entry.key())));
            return Optional.empty();
        } catch (DhtException e) {
            return Optional.of(e);
        }
    }

    private static TreeMap<Key, byte[]> fill(SimulatedCluster cluster) {
        TreeMap<Key, byte[]> entries = new TreeMap<>();
        for (int i = 0; i < ENTRIES; i++) {
            entries.put(Key.of(String.format("k%05d", i)), new byte[] {(byte) i});
        }
        cluster.await(cluster.node(0).putAll(entries, ALL));
        return entries;
    }
}
