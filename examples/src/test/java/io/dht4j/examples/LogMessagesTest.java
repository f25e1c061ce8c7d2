package io.dht4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.server.log.ShellWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The reference explains each message that a server logs at WARN or ERROR, and no others. */
class LogMessagesTest {

    private static final Path ROOT = Checkout.root();
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (WARN|ERROR) \\| `([^`]+)` \\|");

    private static final String CONNECTIONS = "WARN … takes at most … connections, not …: this process may have … "
            + "files open, of which connections to one port may use a quarter. Raise the limit (ulimit -n) to at "
            + "least …, or lower --max-connections";

    /** Messages of classes that log what another one has written. */
    private static final Map<String, String> MADE_ELSEWHERE = Map.of(
            "ConnectionLimit", CONNECTIONS,
            "ConnectionPlaces", CONNECTIONS,
            "HttpConnections", CONNECTIONS,
            "Credentials", "WARN …: the certificate of … is valid from … until …, not now");

    /** Those of {@code OwnAddress}, which transports pass to their loggers. */
    private static final List<String> OF_ADDRESSES = List.of(
            "WARN this node, …, does not listen, but peers call it at …, its address in the topology: they cannot "
                    + "reach it",
            "WARN this node, …, listens on port …, but peers call it at …, its address in the topology: unless a proxy "
                    + "or NAT forwards port …, correct one of the two");

    /** Classes that pass their loggers to others. What these log must be among the messages. */
    private static final Set<String> PASS_THEIR_LOGGERS = Set.of(
            "ApiServer",
            "CallAdmission",
            "DhtCacheManager",
            "EventLoop",
            "GrpcApi",
            "GrpcTransport",
            "HttpApi",
            "HttpListener",
            "HttpRemoteClient",
            "HttpTransport",
            "HttpTransportServer",
            "NodeAssembly",
            "NodeCluster",
            "PeerRequests",
            "PeerServer",
            "Peers",
            "RemoteChannels",
            "RemoteCluster",
            "RequestAdmission",
            "ServerConfig",
            "ServerNode",
            "TcpServer",
            "TcpTransport",
            "Transports",
            "UnknownProperties");

    @Test
    void theReferenceExplainsEachMessage() throws IOException {
        Set<String> logged = new TreeSet<>(OF_ADDRESSES);
        List<String> unknown = new ArrayList<>();
        LoggedMessages.in(ROOT).forEach((message, classes) -> {
            if (!LoggedMessages.isMadeElsewhere(message)) {
                logged.add(ShellWords.of(message));
                return;
            }
            for (String name : classes) {
                if (MADE_ELSEWHERE.containsKey(name)) {
                    logged.add(MADE_ELSEWHERE.get(name));
                } else {
                    unknown.add(name + ": " + message);
                }
            }
        });
        assertThat(unknown).as("messages without a word of their own").isEmpty();
        assertThat(explained()).containsExactlyInAnyOrderElementsOf(logged);
    }

    @Test
    void loggersArePassedOnByTheseClassesOnly() throws IOException {
        assertThat(LoggedMessages.passLoggers(ROOT)).isEqualTo(PASS_THEIR_LOGGERS);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "LOG.warn(\"{} is late: {}\", node.id(), why(1));           | WARN … is late: …",
                "LOG.error(\"a (b\" + c(\"d, e\") + \" f\", x);             | ERROR a (b… f",
                "LOG.atLevel(a ? b : c(d)).log(\"{} cannot be called\", n); | WARN … cannot be called",
                "limited.log(() -> name + \" ended: \" + cause);            | WARN … ended: …",
                "warnings.accept(PrintableText.of(why + \"; stays\"));      | WARN …; stays"
            })
    void aMessageIsFoundInItsStatement(String statement, String message) {
        assertThat(LoggedMessages.inSource(statement)).containsExactly(message);
    }

    private static List<String> explained() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/reference/log-messages.md"));
        String own = page.substring(0, page.indexOf("## Of libraries"));
        return ROW.matcher(own)
                .results()
                .map(row -> row.group(1) + " " + row.group(2))
                .collect(Collectors.toList());
    }
}
