package io.dht4j.benchmarks.load.client;

import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.ScanScope;
import io.dht4j.lab.internal.load.LoadClient;
import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.lab.workload.ValueSizes;
import io.dht4j.transport.grpc.api.GrpcRemote;
import io.dht4j.transport.grpc.api.GrpcRemoteOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** The public gRPC API: one of the library's own clients for each connection, directly on the stubs. */
final class GrpcLoadClient implements LoadClient {

    /** Effectively no bound, since a load has its own. */
    private static final int MAX_IN_FLIGHT = 1_000_000;

    private static final long MAX_IN_FLIGHT_BYTES = 1L << 40;

    private final List<String> addresses;
    private final List<GrpcRemote> clients;
    private final CallOptions options;
    private final String keyPrefix;
    private final Values values;
    private final RoundRobin turns;

    GrpcLoadClient(ClientSpec spec) {
        addresses = spec.addresses();
        keyPrefix = spec.keyPrefix();
        values = new Values(ValueSizes.parse(spec.valueSizes()));
        CallOptions timed = CallOptions.defaults().withTimeout(Duration.ofMillis(spec.timeoutMillis()));
        options = spec.from() == 0 ? timed : timed.withPolicy(spec.ack(), spec.from());
        GrpcRemoteOptions client = spec.access()
                .applyTo(GrpcRemoteOptions.defaults())
                .withMaxInFlight(MAX_IN_FLIGHT)
                .withMaxInFlightBytes(MAX_IN_FLIGHT_BYTES)
                .withEventLoops(Math.max(1, spec.eventLoops() / spec.connections()));
        clients = Stream.generate(() -> GrpcRemote.create(client))
                .limit(spec.connections())
                .toList();
        turns = new RoundRobin(addresses.size() * clients.size());
    }

    @Override
    public CompletionStage<Outcome> get(long key) {
        int turn = turns.next();
        return client(turn)
                .get(address(turn), name(key), options)
                .thenApply(value -> value.isPresent() ? Outcome.DONE : Outcome.ABSENT);
    }

    @Override
    public CompletionStage<Outcome> put(long key, int valueBytes) {
        int turn = turns.next();
        return client(turn)
                .put(address(turn), name(key), values.of(key, valueBytes), options)
                .thenApply(version -> Outcome.DONE);
    }

    @Override
    public CompletionStage<Outcome> scan(long key, int entries) {
        int turn = turns.next();
        return client(turn)
                .scan(
                        address(turn),
                        KeyRange.between(name(key), Key.of(keyPrefix + KeyNames.END)),
                        ScanScope.CLUSTER,
                        entries,
                        options)
                .thenApply(found -> found.isEmpty() ? Outcome.ABSENT : Outcome.DONE);
    }

    @Override
    public ValueSizes valueSizes() {
        return values.sizes();
    }

    private GrpcRemote client(int turn) {
        return clients.get(turn / addresses.size());
    }

    private String address(int turn) {
        return addresses.get(turn % addresses.size());
    }

    private Key name(long key) {
        return Key.of(keyPrefix + KeyNames.of(key));
    }

    @Override
    public void close() {
        clients.forEach(GrpcRemote::close);
    }
}
