/** How the program's log looks. */
@NullMarked
package io.dht4j.examples.log;

import org.jspecify.annotations.NullMarked;
