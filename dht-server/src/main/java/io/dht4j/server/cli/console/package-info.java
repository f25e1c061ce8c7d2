/** The streams of a command: what it reads and prints. */
@NullMarked
package io.dht4j.server.cli.console;

import org.jspecify.annotations.NullMarked;
