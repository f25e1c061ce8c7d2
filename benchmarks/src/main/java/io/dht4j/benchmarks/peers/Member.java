package io.dht4j.benchmarks.peers;

import io.dht4j.benchmarks.load.Target;
import java.util.Map;

/** A member of a cluster, embedded in this process; operations are plain calls. */
public interface Member extends Target {

    /**
     * Starts a member. Blocks until it is ready to be called; the others need not run yet.
     *
     * @param spec which
     * @return the member, to be closed
     */
    static Member start(MemberSpec spec) {
        return switch (spec.product()) {
            case DHT4J -> new OwnMember(spec);
            case HAZELCAST, HAZELCAST_BACKUP_READS -> new HazelcastMember(spec);
            case INFINISPAN -> new InfinispanMember(spec);
        };
    }

    /** How it is configured, by the names that its documentation uses. */
    Map<String, String> settings();

    /** How many members it sees, itself included. */
    int clusterSize();
}
