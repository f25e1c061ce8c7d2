package io.dht4j.transport.http.internal.api;

import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.MembershipChange;
import io.dht4j.MembershipChange.Rebalance;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.transport.http.internal.common.HttpText;
import io.dht4j.transport.http.internal.common.MembershipJson;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** Shows and changes the nodes of the cluster. Does not block. Safe for use by any number of event loops. */
final class MembershipCalls {

    private static final List<String> NODES_PARAMETERS = List.of(
            "change", "node", "address", "public_address", "zone", "weight", "accept_data_loss", "lost", "voters");
    private static final List<String> REBALANCE_PARAMETERS = List.of("change", "rate", "replication_factor");
    private static final Map<String, List<String>> PARAMETERS_OF_CHANGES = Map.of(
            "add", List.of("change", "node"),
            "remove", List.of("change", "node"),
            "replace", List.of("change", "node", "accept_data_loss"),
            "update", List.of("change", "node", "address", "public_address", "zone", "weight"),
            "recover", List.of("change", "lost", "accept_data_loss"),
            "voters", List.of("change", "voters"),
            "cancel", List.of("change"));

    private final Cluster cluster;

    MembershipCalls(Cluster cluster) {
        this.cluster = cluster;
    }

    void status(ApiExchange exchange) {
        Query.parse(exchange.request().query(), List.of());
        exchange.share().requireConnection();
        exchange.await(
                () -> cluster.membership().status(),
                status -> ClusterCalls.answerJson(exchange, MembershipJson.status(status)));
    }

    void plan(ApiExchange exchange) {
        Query.parse(exchange.request().query(), List.of());
        exchange.share().requireConnection();
        exchange.await(
                () -> cluster.membership().plan(),
                plan -> ClusterCalls.answerJson(exchange, MembershipJson.plan(plan)));
    }

    void changeNodes(ApiExchange exchange) {
        Query query = Query.parse(exchange.request().query(), NODES_PARAMETERS);
        requireEffect(query);
        change(exchange, valid(() -> nodesChange(query)));
    }

    void changeRebalance(ApiExchange exchange) {
        Query query = Query.parse(exchange.request().query(), REBALANCE_PARAMETERS);
        requireEffect(query);
        change(exchange, valid(() -> rebalanceChange(query)));
    }

    private static void requireEffect(Query query) {
        query.text("change").ifPresent(change -> {
            List<String> taken = PARAMETERS_OF_CHANGES.get(change);
            if (taken != null) {
                query.requireOnly("change=" + change, taken);
            }
        });
    }

    private void change(ApiExchange exchange, MembershipChange change) {
        exchange.share().requireConnection();
        exchange.await(
                () -> cluster.membership().change(change),
                epoch -> ClusterCalls.answerJson(exchange, MembershipJson.epoch(epoch)));
    }

    private interface Reading {
        MembershipChange read();
    }

    private static MembershipChange valid(Reading reading) {
        try {
            return reading.read();
        } catch (IllegalArgumentException e) {
            throw refused(String.valueOf(e.getMessage()));
        }
    }

    private static boolean acceptsDataLoss(Query query) {
        return query.text("accept_data_loss").map(MembershipCalls::isTrue).orElse(false);
    }

    private static MembershipChange nodesChange(Query query) {
        if (query.text("change").orElse("").equals("recover")) {
            return new MembershipChange.Recover(
                    query.text("lost").stream()
                            .filter(text -> !text.isEmpty())
                            .flatMap(text -> Arrays.stream(text.split(",", -1)))
                            .map(NodeId::new)
                            .collect(Collectors.toSet()),
                    acceptsDataLoss(query));
        }
        if (query.text("change").orElse("").equals("voters")) {
            return new MembershipChange.Voters(
                    (int) query.number("voters", 3, 7).orElseThrow(() -> refused("voters is missing: give 3, 5 or 7")));
        }
        NodeId node = query.text("node")
                .map(NodeId::new)
                .orElseThrow(() -> refused("node is missing: give the name of the node"));
        return switch (query.text("change").orElse("")) {
            case "add" -> new MembershipChange.Add(node);
            case "remove" -> new MembershipChange.Remove(node);
            case "replace" -> new MembershipChange.Replace(node, acceptsDataLoss(query));
            case "update" ->
                new MembershipChange.Update(
                        node,
                        query.text("address"),
                        query.text("public_address")
                                .map(text -> text.isEmpty() ? List.<String>of() : Arrays.asList(text.split(",", -1))),
                        query.text("zone"),
                        weight(query));
            default ->
                throw refused("change must be add, remove, replace, update, recover or voters, not \""
                        + HttpText.shown(query.text("change").orElse("")) + "\"");
        };
    }

    private static boolean isTrue(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw refused("accept_data_loss must be true or false, not \"" + HttpText.shown(text) + "\"");
        };
    }

    private static OptionalInt weight(Query query) {
        OptionalLong weight = query.number("weight", 1, Node.MAX_WEIGHT);
        return weight.isEmpty() ? OptionalInt.empty() : OptionalInt.of((int) weight.getAsLong());
    }

    private static MembershipChange rebalanceChange(Query query) {
        Optional<String> change = query.text("change");
        OptionalLong replicas = query.number("replication_factor", 1, MembershipChange.ReplicationFactor.MAX);
        if (replicas.isPresent()) {
            if (change.isPresent() || query.text("rate").isPresent()) {
                throw refused("replication_factor is set alone: send change and rate in another request");
            }
            return new MembershipChange.ReplicationFactor((int) replicas.getAsLong());
        }
        OptionalLong rate = query.number("rate", MembershipChange.MIN_RATE, MembershipChange.MAX_RATE);
        if (change.isEmpty() && rate.isPresent()) {
            return new Rebalance(Optional.empty(), rate);
        }
        return switch (change.orElse("")) {
            case "pause" -> new Rebalance(Optional.of(true), rate);
            case "resume" -> new Rebalance(Optional.of(false), rate);
            case "cancel" -> new MembershipChange.CancelMoves();
            default ->
                throw refused("change must be pause, resume or cancel, or rate or replication_factor be given, not \""
                        + HttpText.shown(change.orElse("")) + "\"");
        };
    }

    private static InvalidRequestException refused(String why) {
        return new InvalidRequestException(ErrorCode.BAD_REQUEST, why);
    }
}
