package io.dht4j.benchmarks.product;

import io.dht4j.lab.internal.load.LoadClient;
import java.util.Map;

/** A member of a cluster, embedded in this process. */
public interface Member extends LoadClient {

    /**
     * Starts a member. Blocks until it is ready; the others may start later.
     *
     * @param spec describes it
     * @return the member, which the caller closes
     */
    static Member start(MemberSpec spec) {
        return switch (spec.product()) {
            case DHT4J -> new OwnMember(spec);
            case DHT4J_ATOMIC -> new AtomicMember(spec);
            case HAZELCAST, HAZELCAST_BACKUP_READS -> new HazelcastMember(spec);
            case INFINISPAN -> new InfinispanMember(spec);
            case ETCD -> new EtcdMember(spec);
        };
    }

    /** Returns its configuration, by the names of its documentation. */
    Map<String, String> settings();

    /** Returns the number of members that it sees, itself included. */
    int clusterSize();
}
