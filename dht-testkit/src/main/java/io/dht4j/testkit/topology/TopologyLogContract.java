package io.dht4j.testkit.topology;

import io.dht4j.spi.TopologyLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract of every {@link TopologyLog}, in virtual time. The test of a log extends this class and opens the logs.
 * The contract is composed of suites, one for each subject: appends, leaders, restarts, messages and members. After
 * each test all members must agree about all applied commands.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
public abstract class TopologyLogContract
        implements AppendsSuite, LeadersSuite, RestartsSuite, MessagesSuite, MembersSuite {

    /** The empty directory of the test. */
    @TempDir
    protected Path directory;

    private final List<TopologyCluster> clusters = new ArrayList<>();

    /** Constructor for subclasses. */
    @SuppressWarnings("NullAway.Init") // set before each test
    protected TopologyLogContract() {}

    /**
     * Opens a log under test, which takes a snapshot after {@link #snapshotCommands} commands.
     *
     * @param group the same object for all members of a cluster, and another one for another cluster
     * @param member the arguments of its opening
     * @return a log that has not started
     */
    protected abstract TopologyLog open(Object group, TopologyMember member);

    /**
     * Returns the seed of the test's network.
     *
     * @return any number
     */
    protected long seed() {
        return 1;
    }

    @Override
    public int snapshotCommands() {
        return 20;
    }

    /** Makes the cluster. */
    @BeforeEach
    final void makeCluster() {
        anotherCluster();
    }

    /** Closes and checks. */
    @AfterEach
    final void closeClusters() {
        clusters.forEach(TopologyCluster::close);
    }

    @Override
    public final TopologyCluster cluster() {
        return clusters.get(0);
    }

    @Override
    public final TopologyCluster anotherCluster() {
        Object group = new Object();
        try {
            Path root = Files.createDirectory(directory.resolve("group" + clusters.size()));
            TopologyCluster made = new TopologyCluster(seed() + clusters.size(), root, member -> open(group, member));
            clusters.add(made);
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
