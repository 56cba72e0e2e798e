class Operations {

}
