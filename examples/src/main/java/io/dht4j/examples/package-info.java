/**
 * Examples to copy: a node in an application, a server, and what atomic keys are for. The subpackage has a transport.
 */
@NullMarked
package io.dht4j.examples;

import org.jspecify.annotations.NullMarked;
