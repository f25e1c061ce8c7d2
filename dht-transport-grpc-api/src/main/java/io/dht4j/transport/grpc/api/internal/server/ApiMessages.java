package io.dht4j.transport.grpc.api.internal.server;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.KeyPlacement;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Node;
import io.dht4j.NodeStatus;
import io.dht4j.Ordering;
import io.dht4j.OverloadCounts;
import io.dht4j.RepairStatus;
import io.dht4j.ReplicationPolicy;
import io.dht4j.ScanScope;
import io.dht4j.Snapshot;
import io.dht4j.Topology;
import io.dht4j.v1.ClockProblem;
import io.dht4j.v1.Entry;
import io.dht4j.v1.LocateResponse;
import io.dht4j.v1.Policy;
import io.dht4j.v1.RepairResponse;
import io.dht4j.v1.ScanRequest;
import io.dht4j.v1.StatusResponse;
import io.dht4j.v1.StoreProblem;
import io.dht4j.v1.Value;
import java.time.Duration;
import java.util.List;

/** Translates the messages of requests and answers. */
final class ApiMessages {

    private static final long MIN_LEASE_MILLIS = Snapshot.MIN_LEASE.toMillis();
    private static final long MAX_LEASE_MILLIS = Snapshot.MAX_LEASE.toMillis();

    private ApiMessages() {}

    static Key key(ByteString bytes) {
        return key("key", bytes);
    }

    private static Key key(String name, ByteString bytes) {
        if (bytes.size() < Key.MIN_LENGTH || bytes.size() > Key.MAX_LENGTH) {
            throw new InvalidRequestException(
                    ErrorCode.KEY_INVALID,
                    name + " has " + Key.MIN_LENGTH + " to " + Key.MAX_LENGTH + " bytes, not " + bytes.size());
        }
        return Key.of(bytes.toByteArray());
    }

    /**
     * Returns options with a policy as the HTTP API reads it: {@code from} alone takes its majority, {@code ack} alone
     * the replication factor.
     */
    static CallOptions withPolicy(CallOptions options, Policy policy, Cluster cluster) {
        return withReplicas(withOrdering(options, policy), policy, cluster);
    }

    private static CallOptions withOrdering(CallOptions options, Policy policy) {
        return switch (policy.getOrdering()) {
            case ORDERING_UNSPECIFIED -> options;
            case REAL_TIME -> options.withOrdering(Ordering.REAL_TIME);
            case LINEARIZABLE -> options.withOrdering(Ordering.LINEARIZABLE);
            case UNRECOGNIZED ->
                throw new InvalidRequestException(
                        ErrorCode.BAD_REQUEST, "unknown ordering " + policy.getOrderingValue());
        };
    }

    private static CallOptions withReplicas(CallOptions options, Policy policy, Cluster cluster) {
        if (!policy.hasAck() && !policy.hasFrom()) {
            return options;
        }
        // The cluster compares them with the number of its nodes, in words that its callers in Java read too.
        if (!policy.hasAck()) {
            return options.withPolicy(ReplicationPolicy.majorityOf(inRange("from", policy.getFrom())));
        }
        int ack = inRange("ack", policy.getAck());
        int from = policy.hasFrom()
                ? inRange("from", policy.getFrom())
                : cluster.defaultPolicy().from();
        return options.withPolicy(ack, from);
    }

    private static int inRange(String name, int unsigned) {
        if (unsigned < 1 || unsigned > Topology.MAX_NODES) {
            throw new InvalidRequestException(
                    ErrorCode.POLICY_INVALID,
                    name + " must be 1 to " + Topology.MAX_NODES + ", not " + Integer.toUnsignedString(unsigned));
        }
        return unsigned;
    }

    static CallOptions withTimeToLive(CallOptions options, long unsignedMillis) {
        return options.withTimeToLive(Duration.ofMillis(ttlMillis(unsignedMillis)));
    }

    /** Checks a time to live. */
    static long ttlMillis(long unsignedMillis) {
        long longest = CallOptions.MAX_TIME_TO_LIVE.toMillis();
        if (unsignedMillis < 1 || unsignedMillis > longest) {
            throw new InvalidRequestException(
                    ErrorCode.TTL_INVALID,
                    "ttl_millis must be 1 to " + longest + ", not " + Long.toUnsignedString(unsignedMillis));
        }
        return unsignedMillis;
    }

    static Duration lease(long unsignedMillis) {
        if (unsignedMillis < MIN_LEASE_MILLIS || unsignedMillis > MAX_LEASE_MILLIS) {
            throw new InvalidRequestException(
                    ErrorCode.BAD_REQUEST,
                    "lease_millis must be " + MIN_LEASE_MILLIS + " to " + MAX_LEASE_MILLIS + ", not "
                            + Long.toUnsignedString(unsignedMillis));
        }
        return Duration.ofMillis(unsignedMillis);
    }

    static KeyRange range(ScanRequest request) {
        Key start = request.hasStart()
                ? key("start", request.getStart())
                : KeyRange.all().start();
        return request.hasEnd() ? KeyRange.between(start, key("end", request.getEnd())) : KeyRange.from(start);
    }

    static ScanScope scope(ScanRequest request) {
        return switch (request.getScope()) {
            case SCOPE_UNSPECIFIED, CLUSTER -> ScanScope.CLUSTER;
            case NODE -> ScanScope.NODE;
            case UNRECOGNIZED ->
                throw new InvalidRequestException(
                        ErrorCode.SCAN_INVALID, "scope must be CLUSTER or NODE, not " + request.getScopeValue());
        };
    }

    /** Returns a limit of a scan; an absent field means no limit. */
    static long limit(String name, boolean present, long unsigned) {
        if (!present) {
            return Long.MAX_VALUE;
        }
        if (unsigned < 1) {
            throw new InvalidRequestException(
                    ErrorCode.SCAN_INVALID,
                    name + " must be 1 to " + Long.MAX_VALUE + ", not " + Long.toUnsignedString(unsigned));
        }
        return unsigned;
    }

    /** Converts a value, and shares its array. */
    static Value value(io.dht4j.Value value) {
        Value.Builder message = Value.newBuilder()
                .setData(UnsafeByteOperations.unsafeWrap(value.bytes()))
                .setVersion(value.version().packed());
        value.expiresAt().ifPresent(at -> message.setExpiresAtMillis(at.toEpochMilli()));
        return message.build();
    }

    /** Converts an entry, and shares the arrays of key and value. */
    static Entry entry(Key key, io.dht4j.Value value) {
        return Entry.newBuilder()
                .setKey(UnsafeByteOperations.unsafeWrap(key.unsafeBytes()))
                .setValue(value(value))
                .build();
    }

    static long bytesOf(Key key, io.dht4j.Value value) {
        return (long) key.length() + value.bytes().length;
    }

    static long bytesOf(KeyValue entry) {
        return bytesOf(entry.key(), entry.value());
    }

    static LocateResponse located(KeyPlacement placement) {
        LocateResponse.Builder message = LocateResponse.newBuilder().setPartition(placement.partition());
        placement.replicas().forEach(node -> message.addReplicas(node.id().value()));
        return message.build();
    }

    private static ClockProblem clock(io.dht4j.ClockProblem problem) {
        ClockProblem.Builder message =
                ClockProblem.newBuilder().setAheadMillis(problem.ahead().toMillis());
        problem.of().forEach(node -> message.addOf(node.value()));
        return message.build();
    }

    static StatusResponse status(NodeStatus status) {
        StatusResponse.Builder message = StatusResponse.newBuilder()
                .setId(status.id().value())
                .setEpoch(status.topology().epoch())
                .setReplicationFactor(status.replicationFactor())
                .setPartitions(status.partitions())
                .setPlacement(status.placement())
                .setHash(status.hash())
                .setTransport(status.transport())
                .setStore(status.store())
                .setVersion(status.version())
                .setEntries(status.entries())
                .setEntriesAgeMillis(status.entriesAge().toMillis())
                .setHintBytes(status.hintBytes())
                .setHintBytesDropped(status.hintBytesDropped())
                .setOverload(overload(status.overload()))
                .setRefillingPartitions(status.refill().partitions())
                .setRefilledEntries(status.refill().entries())
                .setUptimeMillis(status.uptime().toMillis());
        status.refill().waitsFor().forEach(node -> message.addRefillWaitsFor(node.value()));
        status.suspected().forEach(node -> message.addSuspected(node.value()));
        status.disagreeing().forEach(node -> message.addDisagreeing(node.value()));
        status.clockProblem().ifPresent(problem -> message.setClockProblem(clock(problem)));
        for (io.dht4j.StoreProblem problem : status.storeProblems()) {
            message.addStoreProblems(StoreProblem.newBuilder()
                    .setKind(
                            switch (problem.kind()) {
                                case WRITES_REFUSED -> StoreProblem.Kind.WRITES_REFUSED;
                                case DAMAGED_DATA -> StoreProblem.Kind.DAMAGED_DATA;
                            })
                    .setSinceMillis(problem.since().toEpochMilli())
                    .setMessage(problem.message()));
        }
        for (Node node : status.topology().nodes()) {
            message.addNodes(io.dht4j.v1.Node.newBuilder()
                    .setId(node.id().value())
                    .setAddress(node.address())
                    .setWeight(node.weight())
                    .addAllPublicAddresses(status.publicAddresses().getOrDefault(node.id(), List.of())));
        }
        return message.build();
    }

    static RepairResponse repair(RepairStatus status) {
        RepairResponse.Builder message = RepairResponse.newBuilder()
                .setId(status.node().value())
                .setRunning(status.running())
                .setPartitions(status.partitions())
                .setPartitionsDone(status.partitionsDone())
                .setRounds(status.rounds())
                .setSent(status.sent())
                .setReceived(status.received())
                .setRefused(status.refused())
                .setPurged(status.purged())
                .setBlocked(status.blocked());
        status.lastError().ifPresent(message::setLastError);
        status.completed()
                .forEach((partition, when) -> message.addCompleted(RepairResponse.Completed.newBuilder()
                        .setPartition(partition)
                        .setAtMillis(when.toEpochMilli())));
        return message.build();
    }

    private static io.dht4j.v1.OverloadCounts overload(OverloadCounts counts) {
        return io.dht4j.v1.OverloadCounts.newBuilder()
                .setCallsRefused(counts.callsRefused())
                .setWorkDropped(counts.workDropped())
                .setPeerRequestsRefused(counts.peerRequestsRefused())
                .setRetries(counts.retries())
                .setHedges(counts.hedges())
                .setRetriesDenied(counts.retriesDenied())
                .build();
    }
}
