/** The commands for atomic keys. */
@NullMarked
package io.dht4j.server.cli.atomic;

import org.jspecify.annotations.NullMarked;
