package io.dht4j.core.internal.membership.agreed;

import io.dht4j.DhtException;
import io.dht4j.core.internal.membership.agreed.formation.Founders;
import io.dht4j.core.internal.membership.agreed.formation.Founding;
import io.dht4j.core.internal.membership.agreed.peer.MembershipRequestSender;
import io.dht4j.core.internal.membership.codec.CommandCodec;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends the first command of a log: it forms the cluster, or continues a recovered state. Does not block; safe for
 * use by any number of threads.
 */
final class FirstCommand {

    private static final Logger LOG = LoggerFactory.getLogger(FirstCommand.class);

    private static final Duration APPEND_TIMEOUT = Duration.ofSeconds(10);

    private final LogMember log;
    private final Founding founding;
    private final Supplier<Optional<Founders>> founders;
    private final Supplier<Optional<ClusterState>> installed;
    private final MembershipRequestSender requests;
    private final Environment environment;

    /**
     * Creates the first command of a node.
     *
     * @param log the part of the node in the log
     * @param founding the settings of the node
     * @param founders returns the list of founders; empty until it is stored
     * @param installed returns the installed state; empty before the first one
     * @param requests gives deadlines
     * @param environment timers
     */
    FirstCommand(
            LogMember log,
            Founding founding,
            Supplier<Optional<Founders>> founders,
            Supplier<Optional<ClusterState>> installed,
            MembershipRequestSender requests,
            Environment environment) {
        this.log = log;
        this.founding = founding;
        this.founders = founders;
        this.installed = installed;
        this.requests = requests;
        this.environment = environment;
    }

    /**
     * Appends the command if this node leads a log without a state, and repeats it until there is one. A second one is
     * refused.
     */
    void append() {
        Optional<LogMember.Open> open = log.current();
        if (open.isEmpty()
                || !open.get().log().leads()
                || open.get().state().state().isPresent()) {
            return;
        }
        Optional<Command> first = first(open.get());
        if (first.isEmpty()) {
            // It is being stored.
            later();
            return;
        }
        append(open.get(), first.get());
    }

    private void append(LogMember.Open open, Command first) {
        CompletionStage<Long> appended;
        try {
            appended = open.log().append(CommandCodec.encode(first), requests.context(APPEND_TIMEOUT));
        } catch (RuntimeException | Error e) {
            appended = CompletableFuture.failedFuture(e);
        }
        appended.whenComplete((index, error) -> {
            if (error == null) {
                open.state()
                        .result(index)
                        .filter(result -> open.state().state().isEmpty())
                        .ifPresent(result -> LOG.error(
                                "the first command of the topology log is refused, so nothing can change: {}",
                                result.reason()));
                return;
            }
            if (DhtException.unwrap(error) instanceof IllegalArgumentException) {
                LOG.error("the first command of the topology log is too large, so nothing can change", error);
            } else {
                later();
            }
        });
    }

    private void later() {
        environment.schedule(this::append, MembershipRequestSender.TIMEOUT.toNanos());
    }

    private Optional<Command> first(LogMember.Open open) {
        return open.begun() == Epoch.FIRST
                ? founders.get().map(founding::form)
                : installed.get().filter(state -> state.epoch() == open.begun()).map(Command.Continue::new);
    }
}
