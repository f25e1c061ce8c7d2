/** Snapshots of a cluster as directories: how they are written, verified and read. */
@NullMarked
package io.dht4j.server.backup;

import org.jspecify.annotations.NullMarked;
