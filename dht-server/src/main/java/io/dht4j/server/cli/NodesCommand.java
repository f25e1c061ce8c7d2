package io.dht4j.server.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.options.TargetNodeOptions;
import io.dht4j.server.cli.options.WholeNumber;
import io.dht4j.server.client.BackOff;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** Shows and changes the nodes of a cluster. */
@Command(
        name = "nodes",
        mixinStandardHelpOptions = true,
        header = "Shows and changes the nodes of a cluster.%n",
        description = {
            "%nWithout an action: the nodes, the moves of partitions under way, and who agrees on changes (* leads). "
                    + "Every line says what it waits for.%n",
            "  dht nodes add n4                lets n4 join, or stay if it leaves",
            "  dht nodes remove n4             empties n4, and then removes it",
            "  dht nodes replace n3            n3 is lost for good; a new n3 joins with an empty directory",
            "  dht nodes address n3 HOST:PORT  n3 is reached by the others there",
            "  dht nodes zone n3 b             n3 is in zone b",
            "  dht nodes weight n3 2           n3 gets twice the share of a node of weight 1",
            "%nThe nodes of a server with --peers are fixed.%n"
        })
final class NodesCommand implements Callable<Integer> {

    private final Console console;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "ACTION",
            description = "add, remove, replace, address, zone or weight.")
    private Optional<String> action = Optional.empty();

    @Parameters(index = "1", arity = "0..1", paramLabel = "NODE", description = "The name of the node.")
    private Optional<String> name = Optional.empty();

    @Parameters(
            index = "2",
            arity = "0..1",
            paramLabel = "VALUE",
            description = "The new address, zone or weight; an empty text is no zone.")
    private Optional<String> value = Optional.empty();

    @Option(
            names = "--accept-data-loss",
            description = "With replace, goes on although acknowledged writes may be lost, because too few replicas of "
                    + "some partitions are left.")
    private boolean acceptDataLoss;

    @Option(names = "--json", description = "Prints the node's answer unchanged.")
    private boolean json;

    @Mixin
    private final TargetNodeOptions node;

    NodesCommand(Console console) {
        this.console = console;
        this.node = new TargetNodeOptions(console);
    }

    @Override
    public Integer call() throws ClientException {
        if (action.isEmpty()) {
            JsonNode status =
                    BackOff.whileOverloaded(() -> DhtClient.await(node.client().nodes()));
            if (json) {
                console.show(status.toString());
                return 0;
            }
            MembershipText.nodes(status).forEach(console::show);
            MembershipText.moves(status).forEach(console::show);
            MembershipText.metadata(status).forEach(console::show);
            return 0;
        }
        Map<String, String> change = change(action.get());
        JsonNode answer = DhtClient.await(node.client().changeNodes(change));
        console.show(
                json
                        ? answer.toString()
                        : "agreed at epoch " + answer.path("epoch_text").asText() + next(action.get()));
        if (!json) {
            obstacles(action.get()).forEach(console::show);
        }
        return 0;
    }

    /** Returns the obstacles of a change that moves partitions; empty if the node does not report them. */
    private List<String> obstacles(String what) {
        if (!List.of("add", "remove", "replace").contains(what)) {
            return List.of();
        }
        try {
            return MembershipText.obstacles(DhtClient.await(node.client().nodes()), name.orElse(""));
        } catch (ClientException e) {
            // The change is agreed, as requested.
            return List.of();
        }
    }

    private Map<String, String> change(String what) {
        String field = switch (what) {
            case "add", "remove", "replace" -> "";
            case "address", "zone", "weight" -> what;
            default ->
                throw wrong("no action " + what + "; the actions are add, remove, replace, address, zone and weight");
        };
        if (name.isEmpty()) {
            throw wrong(what + " needs the name of a node, as in: dht nodes " + what + " n4");
        }
        if (field.isEmpty() == value.isPresent()) {
            throw wrong(
                    field.isEmpty()
                            ? what + " takes no value, and \"" + value.orElse("") + "\" is one"
                            : what + " needs a value, as in: dht nodes " + what + " " + name.get() + " VALUE");
        }
        if (acceptDataLoss && !what.equals("replace")) {
            throw wrong("--accept-data-loss has no effect without replace");
        }
        requireForm(name.get(), field);
        Map<String, String> change = new LinkedHashMap<>();
        change.put("change", field.isEmpty() ? what : "update");
        change.put("node", name.get());
        value.ifPresent(text -> change.put(field, text));
        if (acceptDataLoss) {
            change.put("accept_data_loss", "true");
        }
        return change;
    }

    /** Checks the forms of the arguments, so that a wrong one is wrong usage. The node checks a zone. */
    private void requireForm(String id, String field) {
        try {
            NodeId named = new NodeId(id);
            if (field.equals("address")) {
                new Node(named, value.orElse(""), 1);
            }
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
        if (field.equals("weight")) {
            try {
                new WholeNumber.Weight().convert(value.orElse(""));
            } catch (TypeConversionException e) {
                throw wrong("weight " + e.getMessage());
            }
        }
    }

    private String next(String what) {
        String id = name.orElse("");
        return switch (what) {
            case "add" -> "; start " + id + " with --join now, unless it is a member";
            case "remove" -> "; ./dht nodes shows when " + id + " is empty and removed";
            case "replace" -> "; start " + id + " with an empty data directory and --join now";
            default -> "";
        };
    }

    private ParameterException wrong(String why) {
        return new ParameterException(spec.commandLine(), why);
    }
}
