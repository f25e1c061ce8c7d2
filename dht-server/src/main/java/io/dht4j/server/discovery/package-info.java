/** How a node that joins finds nodes of the cluster. */
@NullMarked
package io.dht4j.server.discovery;

import org.jspecify.annotations.NullMarked;
