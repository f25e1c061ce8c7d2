package io.dht4j.server.cli.options;

import io.dht4j.server.cli.console.Console;
import io.dht4j.server.client.Access;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import io.dht4j.server.config.HostPort;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options for the nodes to call. */
public final class TargetNodeOptions {

    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    @Option(
            names = {"-n", "--node"},
            paramLabel = "URL",
            split = ",",
            defaultValue = "${env:DHT_NODE:-http://127.0.0.1:8080}",
            description = "A node's public address, http or https. Several, repeated or separated by commas, are "
                    + "tried in turn. Default: $DHT_NODE, or http://127.0.0.1:8080.")
    private List<String> nodes = new ArrayList<>();

    @Option(
            names = "--timeout",
            paramLabel = "MILLIS",
            converter = WholeNumber.Timeout.class,
            defaultValue = "30000",
            description = "How long to wait for a node's answer. Default: ${DEFAULT-VALUE}.")
    private long timeoutMillis;

    @Mixin
    private final AccessOptions access;

    /**
     * Creates the options of a command.
     *
     * @param console takes warnings; its environment may have the token
     */
    public TargetNodeOptions(Console console) {
        access = new AccessOptions(console);
    }

    /**
     * Creates a client. Blocks while it reads the files of the options.
     *
     * @return a client of the nodes
     * @throws ClientException if a file cannot be used
     * @throws ParameterException if an option is invalid
     */
    public DhtClient client() throws ClientException {
        List<URI> uris = uris();
        return new DhtClient(uris, Duration.ofMillis(timeoutMillis), access.access(uris, spec));
    }

    /**
     * Creates a client of each node, for calls that the node carries out for some time. Blocks while it reads the files
     * of the options.
     *
     * @param longer the additional time of such answers
     * @return the clients, each of one node, in the order of the nodes
     * @throws ClientException if a file cannot be used
     * @throws ParameterException if an option is invalid
     */
    public List<DhtClient> clientsOfEach(Duration longer) throws ClientException {
        List<URI> uris = uris();
        Duration timeout = Duration.ofMillis(timeoutMillis).plus(longer);
        Access given = access.access(uris, spec);
        return uris.stream()
                .map(uri -> new DhtClient(List.of(uri), timeout, given))
                .toList();
    }

    private List<URI> uris() {
        return nodes.stream().map(text -> uri(spec.commandLine(), text)).toList();
    }

    private static URI uri(CommandLine command, String text) {
        String withoutSlash = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
        String full = withoutSlash.contains("://") ? withoutSlash : "http://" + withoutSlash;
        try {
            URI uri = new URI(full);
            boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            boolean isBare = uri.getRawPath().isEmpty() && uri.getRawQuery() == null && uri.getRawFragment() == null;
            if (uri.getPort() == 0 || uri.getPort() > HostPort.MAX_PORT) {
                throw new ParameterException(
                        command,
                        "--node: the port must be 1 to " + HostPort.MAX_PORT + ", not " + uri.getPort() + ", in \""
                                + text + "\"");
            }
            if (isHttp && isBare && uri.getHost() != null) {
                return uri.getPort() == -1 ? withPort(uri) : uri;
            }
        } catch (URISyntaxException e) {
            // Falls through to the message, which shows the expected form.
        }
        throw new ParameterException(command, "--node must be a URL like http://127.0.0.1:8080, not \"" + text + "\"");
    }

    /** So that messages name the port, which is not the default one of a node. */
    private static URI withPort(URI uri) throws URISyntaxException {
        int port = "https".equals(uri.getScheme()) ? HTTPS_PORT : HTTP_PORT;
        return new URI(uri.getScheme(), uri.getUserInfo(), uri.getHost(), port, "", null, null);
    }
}
