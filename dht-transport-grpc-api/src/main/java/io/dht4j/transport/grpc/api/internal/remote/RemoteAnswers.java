package io.dht4j.transport.grpc.api.internal.remote;

import io.dht4j.AtomicResult;
import io.dht4j.ClockProblem;
import io.dht4j.Key;
import io.dht4j.KeyValue;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.NodeStatus;
import io.dht4j.OverloadCounts;
import io.dht4j.RefillStatus;
import io.dht4j.RepairStatus;
import io.dht4j.StoreProblem;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.spi.RemoteApi;
import io.dht4j.v1.AtomicResponse;
import io.dht4j.v1.BatchGetResponse;
import io.dht4j.v1.Entry;
import io.dht4j.v1.GetResponse;
import io.dht4j.v1.LocateResponse;
import io.dht4j.v1.RepairResponse;
import io.dht4j.v1.StatusResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads the messages of answers. */
final class RemoteAnswers {

    private RemoteAnswers() {}

    static Optional<Value> found(GetResponse message) {
        return message.hasValue() ? Optional.of(value(message.getValue())) : Optional.empty();
    }

    static Map<Key, Value> values(BatchGetResponse message) {
        Map<Key, Value> values = new LinkedHashMap<>();
        for (Entry entry : message.getEntriesList()) {
            KeyValue found = entry(entry);
            values.put(found.key(), found.value());
        }
        return values;
    }

    static AtomicResult executed(AtomicResponse message) {
        return new AtomicResult(
                message.getDone(),
                message.getCreated(),
                new Version(message.getVersion()),
                message.hasNumber() ? OptionalLong.of(message.getNumber()) : OptionalLong.empty(),
                message.hasCurrent() ? Optional.of(value(message.getCurrent())) : Optional.empty());
    }

    private static Value value(io.dht4j.v1.Value message) {
        return new Value(
                message.getData().toByteArray(),
                new Version(message.getVersion()),
                message.hasExpiresAtMillis()
                        ? Optional.of(Instant.ofEpochMilli(message.getExpiresAtMillis()))
                        : Optional.empty());
    }

    static KeyValue entry(Entry message) {
        return new KeyValue(Key.of(message.getKey().toByteArray()), value(message.getValue()));
    }

    static RemoteApi.Located located(LocateResponse message) {
        List<NodeId> replicas = new ArrayList<>(message.getReplicasCount());
        for (String replica : message.getReplicasList()) {
            replicas.add(new NodeId(replica));
        }
        return new RemoteApi.Located(message.getPartition(), replicas);
    }

    private static List<StoreProblem> problems(StatusResponse message) {
        List<StoreProblem> problems = new ArrayList<>(message.getStoreProblemsCount());
        for (io.dht4j.v1.StoreProblem problem : message.getStoreProblemsList()) {
            StoreProblem.Kind kind = switch (problem.getKind()) {
                case WRITES_REFUSED -> StoreProblem.Kind.WRITES_REFUSED;
                // A kind unknown to this version counts as damage.
                default -> StoreProblem.Kind.DAMAGED_DATA;
            };
            problems.add(new StoreProblem(kind, Instant.ofEpochMilli(problem.getSinceMillis()), problem.getMessage()));
        }
        return problems;
    }

    private static ClockProblem clock(io.dht4j.v1.ClockProblem message) {
        return new ClockProblem(Duration.ofMillis(message.getAheadMillis()), nodeIds(message.getOfList()));
    }

    static NodeStatus status(StatusResponse message) {
        List<Node> nodes = new ArrayList<>(message.getNodesCount());
        Map<NodeId, List<String>> published = new HashMap<>();
        for (io.dht4j.v1.Node node : message.getNodesList()) {
            NodeId id = new NodeId(node.getId());
            nodes.add(new Node(id, node.getAddress(), node.getWeight()));
            if (node.getPublicAddressesCount() > 0) {
                published.put(id, List.copyOf(node.getPublicAddressesList()));
            }
        }
        return new NodeStatus(
                new NodeId(message.getId()),
                new Topology(message.getEpoch(), nodes),
                message.getReplicationFactor(),
                message.getPartitions(),
                message.getPlacement(),
                message.getHash(),
                message.getTransport(),
                message.getStore(),
                message.getVersion(),
                message.getEntries(),
                Duration.ofMillis(message.getEntriesAgeMillis()),
                message.getHintBytes(),
                message.getHintBytesDropped(),
                overload(message.getOverload()),
                problems(message),
                new RefillStatus(
                        message.getRefillingPartitions(),
                        message.getRefilledEntries(),
                        nodeIds(message.getRefillWaitsForList())),
                nodeIds(message.getSuspectedList()),
                nodeIds(message.getDisagreeingList()),
                message.hasClockProblem() ? Optional.of(clock(message.getClockProblem())) : Optional.empty(),
                Duration.ofMillis(message.getUptimeMillis()),
                published);
    }

    static RepairStatus repair(RepairResponse message) {
        Map<Integer, Instant> completed = new HashMap<>();
        message.getCompletedList()
                .forEach(each -> completed.put(each.getPartition(), Instant.ofEpochMilli(each.getAtMillis())));
        return new RepairStatus(
                new NodeId(message.getId()),
                message.getRunning(),
                message.getPartitions(),
                message.getPartitionsDone(),
                message.getRounds(),
                message.getSent(),
                message.getReceived(),
                message.getRefused(),
                message.getPurged(),
                message.hasLastError() ? Optional.of(message.getLastError()) : Optional.empty(),
                message.getBlocked(),
                completed);
    }

    private static List<NodeId> nodeIds(List<String> names) {
        return names.stream().map(NodeId::new).toList();
    }

    private static OverloadCounts overload(io.dht4j.v1.OverloadCounts message) {
        return new OverloadCounts(
                message.getCallsRefused(),
                message.getWorkDropped(),
                message.getPeerRequestsRefused(),
                message.getRetries(),
                message.getHedges(),
                message.getRetriesDenied());
    }
}
