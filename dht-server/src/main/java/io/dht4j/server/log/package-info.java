/** The format of the program's log, and the words of its messages. */
@NullMarked
package io.dht4j.server.log;

import org.jspecify.annotations.NullMarked;
