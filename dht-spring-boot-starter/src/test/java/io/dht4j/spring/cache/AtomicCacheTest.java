package io.dht4j.spring.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Codec;
import io.dht4j.InvalidRequestException;
import io.dht4j.Node;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.core.options.Membership;
import io.dht4j.spring.boot.Contexts;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.topology.ModelTopologyGroup;
import io.dht4j.testkit.topology.ModelTopologyLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.cache.Cache;

/** Caches of several applications whose values are in an atomic map. */
@Timeout(60)
class AtomicCacheTest {

    private static final CacheOptions ATOMIC =
            CacheOptions.of(CacheSerializer.text()).withAtomic(true);

    private final SystemEnvironment environment = SystemEnvironment.create("atomic-cache");
    private final Node self = Node.of("n1", "host1:1");
    private final Cluster cluster = ClusterBuilder.of(Membership.bootstrap(
                    self.id(),
                    List.of(self),
                    (ref, founders, any) ->
                            new ModelTopologyLog(new ModelTopologyGroup(founders, 20), ref, environment)))
            .transport(LoopbackNetwork.on(environment).transport(self.address()))
            .store(new MemoryStore())
            .environment(environment)
            .start();

    @AfterEach
    void close() {
        cluster.close();
        environment.close();
    }

    /** Returns a cache as another application has it. */
    private Cache cache(String name, CacheOptions options) {
        return Objects.requireNonNull(
                DhtCacheManager.of(cluster, Map.of(name, options)).getCache(name));
    }

    @Test
    void oneOfAllApplicationsPutsAnAbsentValue() throws Exception {
        int applications = 4;
        CyclicBarrier barrier = new CyclicBarrier(applications);
        ExecutorService threads = Executors.newFixedThreadPool(applications);
        try {
            for (int key = 0; key < 50; key++) {
                String isbn = "isbn " + key;
                List<Future<Boolean>> put = new ArrayList<>();
                for (int i = 0; i < applications; i++) {
                    Cache cache = cache("books", ATOMIC);
                    String title = "title " + i;
                    put.add(threads.submit(() -> {
                        barrier.await();
                        return cache.putIfAbsent(isbn, title) == null;
                    }));
                }
                int done = 0;
                for (Future<Boolean> each : put) {
                    done += each.get() ? 1 : 0;
                }
                assertThat(done).as(isbn).isEqualTo(1);
            }
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void itIsACacheAsOthersAre() {
        Cache books = cache("books", ATOMIC);
        Cache films = cache("films", ATOMIC.withTimeToLive(Duration.ofMinutes(1)));
        String longest = "i".repeat(5000);
        books.put("1", "Dune");
        books.put(longest, null);
        films.put("1", "Alien");
        assertThat(cache("books", ATOMIC).get("1", String.class)).isEqualTo("Dune");
        assertThat(books.get(longest)).isNotNull();
        assertThat(books.get("2", () -> "loaded")).isEqualTo("loaded");
        assertThat(Objects.requireNonNull(books.putIfAbsent("2", "late")).get()).isEqualTo("loaded");
        assertThat(books.evictIfPresent("1")).isTrue();
        assertThat(books.get("1")).isNull();

        assertThat(books.invalidate()).isTrue();
        assertThat(books.get("2")).isNull();
        assertThat(books.get(longest)).isNull();
        assertThat(films.get("1", String.class)).isEqualTo("Alien");
    }

    @Test
    void aValueThatCannotBeReadCountsAsAbsent() {
        cluster.atomicMap("cache", Codec.text(), Codec.text()).sync().put("cache:books:1", "?");
        assertThat(cache("books", ATOMIC).putIfAbsent("1", "Dune")).isNull();
        assertThat(cache("books", ATOMIC).get("1", String.class)).isEqualTo("Dune");
    }

    @Test
    void aPolicyOfOtherCallsIsLeftOut() {
        CallOptions calls = CallOptions.defaults().withPolicy(new ReplicationPolicy(1, 1));
        Cache cache = cache("books", ATOMIC.withCalls(calls));
        cache.put("1", "Dune");
        assertThat(cache.get("1", String.class)).isEqualTo("Dune");
    }

    @Test
    void aFixedListOfNodesRefusesIt() {
        try (Cluster fixed = Contexts.node()) {
            Cache cache = Objects.requireNonNull(
                    DhtCacheManager.of(fixed, Map.of("books", ATOMIC)).getCache("books"));
            assertThatThrownBy(() -> cache.put("1", "Dune"))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("agree");
        }
    }
}
