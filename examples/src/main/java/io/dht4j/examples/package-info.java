/** Examples: embedding the library in a few lines. The subpackages hold the server, the command line and the demo. */
@NullMarked
package io.dht4j.examples;

import org.jspecify.annotations.NullMarked;
