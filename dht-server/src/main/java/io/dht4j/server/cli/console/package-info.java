/** The input and output streams of a command. */
@NullMarked
package io.dht4j.server.cli.console;

import org.jspecify.annotations.NullMarked;
