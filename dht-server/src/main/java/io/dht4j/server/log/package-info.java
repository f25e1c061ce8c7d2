/** How the program's log looks. */
@NullMarked
package io.dht4j.server.log;

import org.jspecify.annotations.NullMarked;
