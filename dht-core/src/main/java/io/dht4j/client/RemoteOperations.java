package io.dht4j.client;

import static java.util.Objects.requireNonNull;

import io.dht4j.CallOptions;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.NodeOperations;
import io.dht4j.NodeStatus;
import io.dht4j.RepairStatus;
import io.dht4j.client.RemoteCall.Kind;
import io.dht4j.spi.RemoteApi;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The operations of the first node in the order of tries. To select the node, connect to that node only. Without
 * diagnostics, since the node runs in another process.
 */
final class RemoteOperations implements NodeOperations {

    private final RemoteApi api;
    private final RemoteCalls calls;
    private final RemoteStatus status;

    RemoteOperations(RemoteApi api, RemoteCalls calls, RemoteStatus status) {
        this.api = api;
        this.calls = calls;
        this.status = status;
    }

    @Override
    public CompletionStage<NodeStatus> status() {
        return status.fetch();
    }

    @Override
    public CompletionStage<RepairStatus> repair(Set<Integer> partitions) {
        requireNonNull(partitions, "partitions");
        Optional<Integer> negative =
                partitions.stream().filter(partition -> partition < 0).findFirst();
        if (negative.isPresent()) {
            return CompletableFuture.failedFuture(new InvalidRequestException(
                    ErrorCode.BAD_REQUEST, "a partition is 0 or more, not " + negative.get()));
        }
        return calls.start(
                Kind.REPEATABLE, CallOptions.defaults(), (address, within) -> api.repair(address, partitions, within));
    }

    @Override
    public CompletionStage<RepairStatus> repairStatus() {
        return calls.start(Kind.READ, CallOptions.defaults(), api::repairStatus);
    }

    @Override
    public String toString() {
        return "operations of the first node that answers";
    }
}
