def dressed(): pass
def first_pictures(): pass
