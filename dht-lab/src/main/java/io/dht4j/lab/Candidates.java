package io.dht4j.lab;

import io.dht4j.Topology;
import io.dht4j.spi.HashFunction;
import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Placement;
import io.dht4j.spi.Store;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Guards candidates: each exception of their code becomes one {@link CandidateException} that names the class and the
 * method. All objects that {@link CandidateLoader} returns are guarded.
 *
 * <p>Calls that create, start, open, assign or close run on a daemon thread, and fail after 60 s. Calls that are
 * measured run on the caller's thread without a bound.
 */
public final class Candidates {

    /** The key with which a hash function is tried. */
    private static final byte[] TRIED = {'k', 'e', 'y'};

    private Candidates() {}

    /**
     * Guards a transport candidate and its transports. A transport whose methods throw, or return null, fails as a
     * {@link io.dht4j.spi.TransportException} of unknown outcome.
     *
     * @param candidate any candidate
     * @return the same one if it is guarded already
     * @throws CandidateException if its name has another form than {@link TransportCandidate#name} demands
     */
    public static TransportCandidate guarded(TransportCandidate candidate) {
        return guarded(candidate, Guard.BOUND);
    }

    static TransportCandidate guarded(TransportCandidate candidate, Duration bound) {
        return candidate instanceof GuardedTransportCandidate
                ? candidate
                : new GuardedTransportCandidate(candidate, bound);
    }

    /**
     * Guards a store candidate. The opened store itself is not guarded: a node treats each exception of its store as a
     * failure of the store.
     *
     * @param candidate any candidate
     * @return a candidate that opens the same stores
     * @throws CandidateException if its name has another form than {@link StoreCandidate#name} demands
     */
    public static StoreCandidate guarded(StoreCandidate candidate) {
        Guard guard = new Guard(candidate.getClass());
        String name = guard.name(candidate::name);
        return new StoreCandidate() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public Store open(Path directory, MemoryBudget memory) {
                return guard.callBounded(
                        "open(\"" + directory + "\", memory)", () -> candidate.open(directory, memory));
            }
        };
    }

    /**
     * Guards a placement.
     *
     * @param placement any placement
     * @return a placement with the same tables
     * @throws CandidateException if its name is not 1 to 32 of the letters a to z, digits and hyphens, a letter first
     */
    public static Placement guarded(Placement placement) {
        return guarded(placement, Guard.BOUND);
    }

    static Placement guarded(Placement placement, Duration bound) {
        Guard guard = new Guard(placement.getClass(), bound);
        String name = guard.name(placement::name);
        return new Placement() {
            @Override
            public PartitionTable assign(Topology topology, int partitions) {
                return guard.callBounded(
                        "assign(topology of " + topology.size() + " nodes, " + partitions + ")",
                        () -> placement.assign(topology, partitions));
            }

            @Override
            public String name() {
                return name;
            }
        };
    }

    /**
     * Guards a hash function. It is tried once, up to the bound; later calls are on the path that is measured, and have
     * no bound.
     *
     * @param hash any hash function
     * @return a function with the same values
     * @throws CandidateException if its name is not 1 to 32 of the letters a to z, digits and hyphens, a letter first;
     *     or if it throws for a key, or does not return
     */
    public static HashFunction guarded(HashFunction hash) {
        return guarded(hash, Guard.BOUND);
    }

    static HashFunction guarded(HashFunction hash, Duration bound) {
        Guard guard = new Guard(hash.getClass(), bound);
        String name = guard.name(hash::name);
        guard.callBounded("hash(" + TRIED.length + " bytes)", () -> hash.hash(TRIED.clone()));
        return new HashFunction() {
            @Override
            public long hash(byte[] bytes) {
                try {
                    return hash.hash(bytes);
                } catch (RuntimeException | Error e) {
                    throw guard.threw("hash(" + bytes.length + " bytes)", e);
                }
            }

            @Override
            public String name() {
                return name;
            }
        };
    }

    /**
     * Refuses candidates that a report could not tell apart.
     *
     * @param builtIns the names of the library's own variants
     * @param candidates the candidates of one run, guarded or not
     * @throws CandidateException if two names are equal, or one equals a built-in's; the message names both classes
     */
    public static void requireDistinctNames(Collection<String> builtIns, List<TransportCandidate> candidates) {
        Map<String, String> classes = new HashMap<>();
        for (TransportCandidate candidate : candidates) {
            GuardedTransportCandidate guarded = (GuardedTransportCandidate) guarded(candidate);
            if (builtIns.contains(guarded.name())) {
                throw new CandidateException("the name \"" + guarded.name() + "\" of " + guarded.className()
                        + " is that of a built-in transport; return another one from name()");
            }
            String other = classes.putIfAbsent(guarded.name(), guarded.className());
            if (other != null) {
                throw new CandidateException(other + " and " + guarded.className() + " both have the name \""
                        + guarded.name() + "\"; return another one from name()");
            }
        }
    }
}
