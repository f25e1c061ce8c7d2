package io.dht4j.testkit.topology;

import io.dht4j.spi.Environment;
import io.dht4j.spi.NodeRef;
import java.nio.file.Path;
import java.util.List;

/**
 * The arguments of the opening of a log under test.
 *
 * @param self the member
 * @param initialMembers the members at the formation of the group
 * @param directory the member's own; the same at each start unless its power failed. Its parent exists
 * @param environment the member's, for one life
 */
public record TopologyMember(NodeRef self, List<NodeRef> initialMembers, Path directory, Environment environment) {}
