package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.spi.Transport;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.transport.grpc.GrpcTransport;
import io.dht4j.transport.grpc.GrpcTransportOptions;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import io.dht4j.transport.tcp.TcpTransport;
import io.dht4j.transport.tcp.TcpTransportOptions;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** A node whose peers call an address at which it does not listen says so when it starts. */
class OwnAddressWarningTest {

    /** The transports, on any free port or on none. */
    enum Kind {
        HTTP(
                () -> HttpTransport.create(HttpTransportOptions.at("127.0.0.1", 0)),
                () -> HttpTransport.create(HttpTransportOptions.callingOnly())),
        GRPC(
                () -> GrpcTransport.create(GrpcTransportOptions.at("127.0.0.1", 0)),
                () -> GrpcTransport.create(GrpcTransportOptions.callingOnly())),
        TCP(
                () -> TcpTransport.create(TcpTransportOptions.at("127.0.0.1", 0)),
                () -> TcpTransport.create(TcpTransportOptions.callingOnly()));

        final Supplier<Transport> listening;
        final Supplier<Transport> calling;

        Kind(Supplier<Transport> listening, Supplier<Transport> calling) {
            this.listening = listening;
            this.calling = calling;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPortThatIsNotThatOfTheTopologyIsLoggedOnce(Kind kind) {
        assertThat(warningsOf(kind.listening.get()))
                .singleElement()
                .asString()
                .contains("n1, listens on port ")
                .contains("127.0.0.1:1,");
        assertThat(warningsOf(kind.calling.get()))
                .singleElement()
                .asString()
                .contains("n1, does not listen")
                .contains("127.0.0.1:1,");
    }

    private static List<String> warningsOf(Transport transport) {
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        root.addAppender(log);
        try {
            Topology topology = Topology.of(Node.of("n1", "127.0.0.1:1"), Node.of("n2", "127.0.0.1:2"));
            ClusterBuilder.of("n1", topology)
                    .transport(transport)
                    .store(new MemoryStore())
                    .start()
                    .close();
        } finally {
            root.detachAppender(log);
        }
        return List.copyOf(log.list).stream()
                .filter(event -> event.getLevel().equals(Level.WARN))
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.contains("its address in the topology"))
                .toList();
    }
}
