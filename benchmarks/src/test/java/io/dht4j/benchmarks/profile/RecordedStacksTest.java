package io.dht4j.benchmarks.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The most frequent stacks of three nodes that served puts over HTTP, with HTTP or gRPC between them. */
class RecordedStacksTest {

    private static CollapsedStacks recorded(String name) throws Exception {
        URL file = Objects.requireNonNull(RecordedStacksTest.class.getResource(name + ".collapsed"), name);
        return CollapsedStacks.read(Path.of(file.toURI()));
    }

    @ParameterizedTest
    @CsvSource({"CPU, http-cpu", "CPU, grpc-cpu", "ALLOC, http-alloc", "WALL, http-wall"})
    void nextToNothingIsOfNoLayer(ProfileEvent event, String name) throws Exception {
        Map<String, Double> shares = Attribution.of(event, recorded(name)).shares();
        assertThat(shares.getOrDefault(Layer.OTHER.label(), 0.0)).isLessThan(0.05);
        assertThat(shares.values().stream().mapToDouble(Double::doubleValue).sum())
                .isCloseTo(1, org.assertj.core.data.Offset.offset(1e-9));
    }

    @Test
    void overHttpBothSidesOfTheTransportAreSeen() throws Exception {
        assertThat(Attribution.of(ProfileEvent.CPU, recorded("http-cpu")).counts())
                .containsKeys(Layer.KERNEL, Layer.GC_AND_JIT, Layer.TRANSPORT_CLIENT, Layer.EXECUTORS);
        assertThat(Attribution.of(ProfileEvent.ALLOC, recorded("http-alloc")).counts())
                .containsKeys(
                        Layer.PUBLIC_API,
                        Layer.COORDINATOR,
                        Layer.CODEC,
                        Layer.TRANSPORT_CLIENT,
                        Layer.TRANSPORT_SERVER,
                        Layer.STORE);
    }

    @Test
    void aStackBelongsToItsLeafMostLayer() throws Exception {
        Map<String, Layer> byLeaf = recorded("http-cpu").counts().keySet().stream()
                .filter(stack -> stack.endsWith("_[k]"))
                .collect(Collectors.toMap(
                        stack -> stack,
                        stack -> Attribution.layer(ProfileEvent.CPU, java.util.List.of(stack.split(";")))));
        assertThat(byLeaf).isNotEmpty();
        byLeaf.forEach((stack, layer) -> assertThat(layer)
                .as(stack)
                .isEqualTo(stack.startsWith("[C2 ") || stack.startsWith("[GC ") ? Layer.GC_AND_JIT : Layer.KERNEL));
    }

    @Test
    void nearlyAllThreadsWaitAndEventLoopsForTheNetwork() throws Exception {
        Map<String, ThreadStates.Row> rows = ThreadStates.of(recorded("http-wall")).rows().stream()
                .collect(Collectors.toMap(ThreadStates.Row::threads, row -> row));
        assertThat(rows.get("vert.x-eventloop-thread-*").shares().get(ThreadState.NETWORK))
                .isGreaterThan(0.8);
        assertThat(rows.get("dht4j-n*-store-*").shares().get(ThreadState.WAITING))
                .isGreaterThan(0.8);
    }
}
