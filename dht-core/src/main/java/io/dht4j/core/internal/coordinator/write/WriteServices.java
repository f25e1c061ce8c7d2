package io.dht4j.core.internal.coordinator.write;

import io.dht4j.core.internal.clock.VersionSource;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;

/**
 * The services that all writes of a node share.
 *
 * @param components the components of the node
 * @param client asks replicas
 * @param parked holds the writes that replicas do not accept yet, and keeps those that they miss
 * @param deadlines ends writes at their deadlines
 * @param superseded gives second versions to the writes that wait for silent replicas
 * @param versions issues second versions
 * @param maxValueBytes the maximum number of bytes of a request of several entries
 */
public record WriteServices(
        NodeComponents components,
        ReplicaClient client,
        ParkedWrites parked,
        WriteDeadlines deadlines,
        SupersededWrites superseded,
        VersionSource versions,
        int maxValueBytes) {}
