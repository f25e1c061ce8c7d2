/** Examples to copy: a node in an application, and a server. The subpackage has a transport. */
@NullMarked
package io.dht4j.examples;

import org.jspecify.annotations.NullMarked;
