/** The format of the program's log. */
@NullMarked
package io.dht4j.server.log;

import org.jspecify.annotations.NullMarked;
