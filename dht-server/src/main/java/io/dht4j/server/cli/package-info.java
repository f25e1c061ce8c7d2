/** The command line: a picocli command for each verb of {@code ./dht}. */
@NullMarked
package io.dht4j.server.cli;

import org.jspecify.annotations.NullMarked;
