package io.dht4j.server.cli.options;

import io.dht4j.security.Plaintext;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.client.Access;
import io.dht4j.server.client.ClientException;
import io.dht4j.spi.PrivateFiles;
import io.dht4j.spi.TlsFiles;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options for TLS files and a token. */
final class AccessOptions {

    private final Console console;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "File with the token for nodes that require one. Default: the token in $DHT_TOKEN. No "
                    + "option takes the token itself, since every user of a machine can see the arguments of its "
                    + "processes.")
    private Optional<Path> tokenFile = Optional.empty();

    @Option(
            names = "--tls-ca",
            paramLabel = "FILE",
            description = "PEM file of the trusted authorities, for https. Default: those that the JVM trusts.")
    private Optional<Path> authorities = Optional.empty();

    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description = "PEM file of this client's own certificate, for a proxy that requires one; together with "
                    + "--tls-key.")
    private Optional<Path> certificate = Optional.empty();

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            description = "PEM file of its private key, PKCS #8, not encrypted.")
    private Optional<Path> key = Optional.empty();

    @Option(
            names = "--allow-plaintext",
            description = "Sends the token over http beyond this machine, where others may read it.")
    private boolean plaintextAllowed;

    AccessOptions(Console console) {
        this.console = console;
    }

    /** Reads the files that the options name, for a command. Blocks. */
    Access access(List<URI> nodes, CommandSpec command) throws ClientException {
        Consumer<String> warnings = line -> console.report(command.qualifiedName() + ": warning: " + line);
        Optional<TlsFiles> files = files(nodes, command);
        Optional<String> token = TokenSource.read(tokenFile, console.environment(), warnings);
        try {
            if (token.isPresent()) {
                for (URI node : nodes) {
                    requireSecret(node, warnings);
                }
            }
            Access access = Access.of(files, token, warnings);
            key.ifPresent(file -> PrivateFiles.warnIfOpen("the private key", file, warnings));
            return access;
        } catch (IllegalArgumentException e) {
            throw new ClientException(String.valueOf(e.getMessage()));
        }
    }

    private Optional<TlsFiles> files(List<URI> nodes, CommandSpec command) {
        if (certificate.isPresent() != key.isPresent()) {
            throw new ParameterException(command.commandLine(), "--tls-cert and --tls-key go together");
        }
        if (certificate.isEmpty() && authorities.isEmpty()) {
            return Optional.empty();
        }
        if (nodes.stream().noneMatch(node -> node.getScheme().equals("https"))) {
            throw new ParameterException(
                    command.commandLine(),
                    (authorities.isPresent() ? "--tls-ca" : "--tls-cert")
                            + " has no effect: no --node is an https:// URL");
        }
        return Optional.of(new TlsFiles(certificate, key, authorities));
    }

    private void requireSecret(URI node, Consumer<String> warnings) {
        if (node.getScheme().equals("http")) {
            Plaintext.require(
                    "the token for the node", node.getHost(), plaintextAllowed, "--allow-plaintext", warnings);
        }
    }
}
