package io.dht4j.server.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.options.TargetNodeOptions;
import io.dht4j.server.client.BackOff;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import java.util.ArrayList;
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

/** Shows the nodes that agree on changes of a cluster. */
@Command(
        name = "meta",
        mixinStandardHelpOptions = true,
        header = "Shows the nodes that agree on changes of a cluster, sets how many, and recovers from their loss.%n",
        description = {
            "%nThey vote on each change of the nodes; * leads. Reads and writes go on without them. A line names the "
                    + "nodes that have not installed the newest state yet.",
            "%nIf most of them are lost for good, @|bold dht meta recover --lost n1,n3|@ goes on with the newest state "
                    + "that any node has. It is refused unless every node answers or is named as lost, and while a "
                    + "lost one still answers another node.%n"
        })
final class MetaCommand implements Callable<Integer> {

    private final Console console;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "ACTION",
            defaultValue = "status",
            description = "status, which is the default, or recover.")
    private String action = "status";

    @Option(
            names = "--lost",
            paramLabel = "NODE",
            split = ",",
            description = "With recover, the nodes that never return, with commas. Every other one must answer.")
    private List<String> lost = new ArrayList<>();

    @Option(
            names = "--accept-data-loss",
            description = "With recover, goes on although a lost node still answers another one: what it agrees on and "
                    + "acknowledges meanwhile may be lost.")
    private boolean acceptDataLoss;

    @Option(
            names = "--voters",
            paramLabel = "N",
            description = "Sets how many nodes vote, when there are as many: 3, 5 or 7. Of 5 two may be lost.")
    private Optional<Integer> voters = Optional.empty();

    @Option(names = "--json", description = "Prints the node's answer unchanged.")
    private boolean json;

    @Mixin
    private final TargetNodeOptions node;

    MetaCommand(Console console) {
        this.console = console;
        this.node = new TargetNodeOptions(console);
    }

    @Override
    public Integer call() throws ClientException {
        DhtClient client = node.client();
        if (action.equals("recover")) {
            requireNoVoters();
            return recover(client);
        }
        if (!action.equals("status")) {
            throw new ParameterException(spec.commandLine(), "no action " + action + "; there are status and recover");
        }
        if (!lost.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--lost has no effect without recover");
        }
        if (acceptDataLoss) {
            throw new ParameterException(spec.commandLine(), "--accept-data-loss has no effect without recover");
        }
        if (voters.isPresent()) {
            return setVoters(client, voters.get());
        }
        JsonNode status = BackOff.whileOverloaded(() -> DhtClient.await(client.nodes()));
        if (json) {
            console.show(status.path("metadata").toString());
        } else {
            MembershipText.metadata(status).forEach(console::show);
        }
        return 0;
    }

    private void requireNoVoters() {
        if (voters.isPresent()) {
            throw new ParameterException(spec.commandLine(), "--voters has no effect with recover");
        }
    }

    private int setVoters(DhtClient client, int number) throws ClientException {
        JsonNode answer =
                DhtClient.await(client.changeNodes(Map.of("change", "voters", "voters", Integer.toString(number))));
        console.show(
                json
                        ? answer.toString()
                        : "agreed at epoch " + answer.path("epoch_text").asText() + "; the voters follow");
        return 0;
    }

    private int recover(DhtClient client) throws ClientException {
        Map<String, String> change = new LinkedHashMap<>();
        change.put("change", "recover");
        change.put("lost", String.join(",", lost));
        if (acceptDataLoss) {
            change.put("accept_data_loss", "true");
        }
        JsonNode answer = DhtClient.await(client.changeNodes(change));
        if (json) {
            console.show(answer.toString());
            return 0;
        }
        console.show("recovered at epoch " + answer.path("epoch_text").asText()
                + "; replace the lost nodes now, with ./dht nodes replace");
        console.show("What only they have agreed on and acknowledged is not known: reads may miss it until they have"
                + " returned and were compared");
        return 0;
    }
}
