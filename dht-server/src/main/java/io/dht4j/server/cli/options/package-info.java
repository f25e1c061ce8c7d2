/** Options and arguments that several commands share. */
@NullMarked
package io.dht4j.server.cli.options;

import org.jspecify.annotations.NullMarked;
