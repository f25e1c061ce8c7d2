/**
 * The commands that change the agreed state, and the rules of
 * {@link io.dht4j.core.internal.membership.command.StateMachine}, which accepts or refuses them.
 */
@NullMarked
package io.dht4j.core.internal.membership.command;

import org.jspecify.annotations.NullMarked;
